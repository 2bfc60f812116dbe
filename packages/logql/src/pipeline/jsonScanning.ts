/** Reads JSON piece by piece, without making objects of it: what stood before a mistake counts. */

export class JsonScanner {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
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
    if (!this.accept('{')) throw malformed();
    if (this.accept('}')) return true;
    do {
      if (this.peek() !== '"') throw malformed();
      const key = this.readString();
      if (!this.accept(':')) throw malformed();
      if (!take(key)) return false;
    } while (this.accept(','));
    if (!this.accept('}')) throw malformed();
    return true;
  }

  /** Behind the string; its text is '' where it holds an escape that there is not. */
  readString(): string {
    const start = this.at + 1;
    let end = start;
    let isPlain = true;
    for (; ; end++) {
      const code = this.text.charCodeAt(end);
      if (Number.isNaN(code)) throw malformed();
      if (code === 34) break;
      if (code !== 92) continue;
      isPlain = false;
      end++;
    }
    this.at = end + 1;
    return isPlain ? this.text.slice(start, end) : readEscapes(this.text.slice(start - 1, end + 1));
  }

  /** Numbers, and the words of JSON, as they are written. */
  readWord(): string {
    const start = this.at;
    while (this.at < this.text.length && !/[\s,}\]]/.test(this.text[this.at] ?? '')) this.at++;
    const word = this.text.slice(start, this.at);
    if (!/^(?:-?\d[\d.eE+-]*|true|false|null)$/.test(word)) throw malformed();
    return word;
  }

  /** The text of the value that begins here, whatever it is. */
  readRaw(): string {
    const sign = this.peek();
    const start = this.at;
    if (sign === '"') this.readString();
    else if (sign === '{' || sign === '[') this.#skipBrackets();
    else this.readWord();
    return this.text.slice(start, this.at);
  }

  #skipBrackets(): void {
    let depth = 0;
    do {
      const sign = this.text[this.at];
      if (sign === undefined) throw malformed();
      if (sign === '"') {
        this.readString();
        continue;
      }
      if (sign === '{' || sign === '[') depth++;
      else if (sign === '}' || sign === ']') depth--;
      this.at++;
    } while (depth > 0);
  }
}

/** As Loki says it of whatever is wrong. */
export class JsonMistake extends Error {}

function malformed(): JsonMistake {
  return new JsonMistake("Value looks like object, but can't find closing '}' symbol");
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
