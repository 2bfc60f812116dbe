/**
 * Reads JSON piece by piece without creating objects. Everything before a mistake counts. It is as lenient as Loki's
 * reader and reports the same errors: it accepts a trailing comma, and anything after the last bracket.
 */

export class JsonScanner {
  readonly text: string;
  /** Whether the line ends like a truncated one. The scanner then checks that an object is complete before it enters it. */
  readonly #isCut: boolean;
  at = 0;

  constructor(text: string) {
    this.text = text;
    let end = text.length;
    while (end > 0 && text.charCodeAt(end - 1) <= 32) end--;
    this.#isCut = text[end - 1] !== '}';
  }

  /** Skips blanks and returns the next character without taking it; '' at the end. */
  peek(): string {
    while (isBlank(this.text.charCodeAt(this.at))) this.at++;
    return this.text[this.at] ?? '';
  }

  accept(sign: string): boolean {
    if (this.peek() !== sign) return false;
    this.at++;
    return true;
  }

  /** Calls `take` for each member of the next object. `take` must read the value, or return false to stop. */
  eachMember(take: (key: string) => boolean): boolean {
    if (!this.accept('{')) throw new JsonMistake(mistakes.object);
    let sign = this.peek();
    if (sign === '') throw new JsonMistake(mistakes.any);
    while (sign !== '}') {
      if (sign !== '"') throw new JsonMistake(mistakes.object);
      const start = this.at;
      const key = this.readString(mistakes.any);
      if (key === '' && this.at > start + 2) throw new JsonMistake(mistakes.escape);
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

  /** Throws if the next object is incomplete. */
  requireWhole(): void {
    if (!this.#isCut) return;
    const start = this.at;
    this.readRaw();
    this.at = start;
  }

  /** Returns '' if it holds an unknown escape, or half of a surrogate pair. */
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

  /** Reads `true`, `false`, `null`, or anything that begins like a number, as written. */
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

  /** Returns the source text of the next value. */
  readRaw(): string {
    const sign = this.peek();
    const start = this.at;
    if (sign === '"') this.readString();
    else if (sign === '{') this.#skipBrackets(mistakes.object);
    else if (sign === '[') this.#skipBrackets(mistakes.list);
    else this.readWord();
    return this.text.slice(start, this.at);
  }

  /** Like Loki's reader, counts one kind of brackets. */
  #skipBrackets(unfinished: string): void {
    const open = this.text[this.at];
    const close = open === '{' ? '}' : ']';
    let depth = 0;
    do {
      const sign = this.text[this.at];
      if (sign === undefined) throw new JsonMistake(unfinished);
      if (sign === '"') {
        this.readString(unfinished);
        continue;
      }
      if (sign === open) depth++;
      else if (sign === close) depth--;
      this.at++;
    } while (depth > 0);
  }
}

/** Loki's messages. */
const mistakes = {
  object: "Value looks like object, but can't find closing '}' symbol",
  list: "Value is array, but can't find closing ']' symbol",
  text: `Value is string, but can't find closing '"' symbol`,
  kind: 'Unknown value type',
  any: 'Malformed JSON error',
  escape: 'Encountered an invalid escape sequence in a string',
} as const;

/** A mistake with Loki's message. */
export class JsonMistake extends Error {}

/** Other controls are no blanks in JSON. */
function isBlank(code: number): boolean {
  return code <= 32 && (code === 32 || code === 10 || code === 13 || code === 9);
}

/** Whether a blank, a comma or a bracket ends the word. */
function isWordEnd(code: number): boolean {
  return code === 44 || code === 125 || code === 93 || isBlank(code);
}

/** Decodes the escapes of texts in a list. As in Loki, the quotation marks around them stay; '' if an escape is unknown. */
export function readListEscapes(raw: string): string {
  if (!raw.includes('\\')) return raw;
  const quoted = raw.replaceAll(/\\.|"/gs, sign => (sign === '"' ? '\\"' : sign));
  return readEscapes(`"${quoted}"`);
}

function readEscapes(quoted: string): string {
  try {
    const text = String(JSON.parse(quoted.replaceAll(/[\x00-\x1f]/g, escapeControl)));
    return text.isWellFormed() ? text : '';
  } catch {
    return '';
  }
}

function escapeControl(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
