/**
 * Reads JSON piece by piece without making objects of it; what precedes a mistake counts. It is as lenient as Loki's
 * reader and reports the same errors: a trailing comma passes, and so does anything after the last bracket.
 */

export class JsonScanner {
  readonly text: string;
  /** A line that was cut off ends otherwise; objects in it are looked through before they are entered. */
  readonly #isCut: boolean;
  at = 0;

  constructor(text: string) {
    this.text = text;
    let end = text.length;
    while (end > 0 && text.charCodeAt(end - 1) <= 32) end--;
    this.#isCut = text[end - 1] !== '}';
  }

  /** The next sign that is no blank, which is not taken; '' at the end. */
  peek(): string {
    while (this.at < this.text.length && this.text.charCodeAt(this.at) <= 32) this.at++;
    return this.text[this.at] ?? '';
  }

  accept(sign: string): boolean {
    if (this.peek() !== sign) return false;
    this.at++;
    return true;
  }

  /** Calls for each member of the object that begins here, with the reader at its value, which must be taken. False ends it early. */
  eachMember(take: (key: string) => boolean): boolean {
    if (!this.accept('{')) throw new JsonMistake(mistakes.object);
    let sign = this.peek();
    if (sign === '') throw new JsonMistake(mistakes.any);
    while (sign !== '}') {
      if (sign !== '"') throw new JsonMistake(mistakes.object);
      const key = this.readString(mistakes.any);
      if (!this.accept(':')) throw new JsonMistake(mistakes.any);
      if (!take(key)) return false;
      sign = this.peek();
      if (sign === ',') {
        this.at++;
        sign = this.peek();
      } else if (sign !== '' && sign !== '}') throw new JsonMistake(mistakes.object);
      if (sign === '') throw new JsonMistake(mistakes.list);
    }
    this.at++;
    return true;
  }

  /** Throws where the object that begins here has no end. */
  requireWhole(): void {
    if (!this.#isCut) return;
    const start = this.at;
    this.readRaw();
    this.at = start;
  }

  /** Behind the string; its text is '' where it holds an escape that there is not. */
  readString(unfinished: string = mistakes.text): string {
    const start = this.at + 1;
    let end = start;
    let isPlain = true;
    for (; ; end++) {
      const code = this.text.charCodeAt(end);
      if (Number.isNaN(code)) throw new JsonMistake(unfinished);
      if (code === 34) break;
      if (code !== 92) continue;
      isPlain = false;
      end++;
    }
    this.at = end + 1;
    return isPlain ? this.text.slice(start, end) : readEscapes(this.text.slice(start - 1, end + 1));
  }

  /** The words of JSON, and numbers as they are written: anything that begins like one. */
  readWord(): string {
    if (this.peek() === '') throw new JsonMistake(mistakes.any);
    const start = this.at;
    while (this.at < this.text.length && !isWordEnd(this.text.charCodeAt(this.at))) this.at++;
    const word = this.text.slice(start, this.at);
    const first = word.charCodeAt(0);
    if ((first >= 48 && first <= 57) || first === 45) return word;
    if (word !== 'true' && word !== 'false' && word !== 'null') throw new JsonMistake(mistakes.kind);
    return word;
  }

  /** The text of the value that begins here. */
  readRaw(): string {
    const sign = this.peek();
    const start = this.at;
    if (sign === '"') this.readString();
    else if (sign === '{') this.#skipBrackets(mistakes.object);
    else if (sign === '[') this.#skipBrackets(mistakes.list);
    else this.readWord();
    return this.text.slice(start, this.at);
  }

  #skipBrackets(unfinished: string): void {
    let depth = 0;
    do {
      const sign = this.text[this.at];
      if (sign === undefined) throw new JsonMistake(unfinished);
      if (sign === '"') {
        this.readString(unfinished);
        continue;
      }
      if (sign === '{' || sign === '[') depth++;
      else if (sign === '}' || sign === ']') depth--;
      this.at++;
    } while (depth > 0);
  }
}

/** Loki's sentences. */
const mistakes = {
  object: "Value looks like object, but can't find closing '}' symbol",
  list: "Value is array, but can't find closing ']' symbol",
  text: `Value is string, but can't find closing '"' symbol`,
  kind: 'Unknown value type',
  any: 'Malformed JSON error',
} as const;

/** Loki's sentence for any mistake. */
export class JsonMistake extends Error {}

/** A blank, a comma or a bracket. */
function isWordEnd(code: number): boolean {
  return code === 44 || code === 125 || code === 93 || code === 32 || (code >= 9 && code <= 13);
}

function readEscapes(quoted: string): string {
  try {
    return String(JSON.parse(quoted.replaceAll(/[\x00-\x1f]/g, escapeControl)));
  } catch {
    return '';
  }
}

function escapeControl(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
