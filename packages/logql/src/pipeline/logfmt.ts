/** Reads `key=value` pairs. Values may be quoted or missing. */

/** Calls `take` for each pair until it returns false. Strict reading stops at a mistake and returns it. */
export function readLogfmt(
  line: string,
  isStrict: boolean,
  take: (key: string, value: string) => boolean,
): string | null {
  const reader = new LogfmtReader(line);
  while (reader.skipBlanks()) {
    const pair = reader.readPair();
    if (pair !== null) {
      if (!take(...pair)) return null;
    } else if (isStrict) return reader.describeMistake();
  }
  return null;
}

// As in Loki, only characters up to the space separate pairs. Others, such as the no-break space, belong to keys and values.
const blanks = /[\x00-\x20]/g;
/** End keys and values. */
const endSigns = /[\x00-\x20"=]/g;

class LogfmtReader {
  readonly #line: string;
  #at = 0;
  #mistake = '';
  #mistakeAt = 0;

  constructor(line: string) {
    this.#line = line;
  }

  skipBlanks(): boolean {
    while (this.#at < this.#line.length && this.#line.charCodeAt(this.#at) <= 32) this.#at++;
    return this.#at < this.#line.length;
  }

  readPair(): [key: string, value: string] | null {
    const start = this.#at;
    const end = this.#skipTo(endSigns);
    const sign = this.#line[end];
    if (sign === '"' || (sign === '=' && end === start)) return this.#refuse(`unexpected '${sign}'`);
    const key = this.#line.slice(start, end);
    if (sign !== '=') return [key, ''];
    this.#at = end + 1;
    if (this.#line[this.#at] === '"') return this.#readQuoted(key);
    const valueStart = this.#at;
    const valueEnd = this.#skipTo(endSigns);
    const stop = this.#line[valueEnd];
    if (stop === '"' || stop === '=') return this.#refuse(`unexpected '${stop}'`);
    return [key, this.#line.slice(valueStart, valueEnd)];
  }

  #readQuoted(key: string): [string, string] | null {
    const start = this.#at;
    for (let end = start + 1; end < this.#line.length; end++) {
      const sign = this.#line[end];
      if (sign === '\\') end++;
      else if (sign === '"') {
        this.#at = end + 1;
        const value = readEscapes(this.#line.slice(start + 1, end));
        if (value !== null) return [key, value];
        return this.#fail('invalid quoted value');
      }
    }
    this.#at = this.#line.length;
    return this.#fail('unterminated quoted value');
  }

  #skipTo(signs: RegExp): number {
    signs.lastIndex = this.#at;
    const found = signs.exec(this.#line);
    this.#at = found?.index ?? this.#line.length;
    return this.#at;
  }

  /** Notes the mistake, and continues after the next blank. */
  #refuse(sentence: string): null {
    this.#fail(sentence);
    this.#skipTo(blanks);
    return null;
  }

  #fail(sentence: string): null {
    this.#mistake = sentence;
    this.#mistakeAt = this.#at;
    return null;
  }

  /** Counts bytes, like Go. */
  describeMistake(): string {
    const bytes = Buffer.byteLength(this.#line.slice(0, this.#mistakeAt));
    return `logfmt syntax error at pos ${bytes + 1} : ${this.#mistake}`;
  }
}

const plainEscapes: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  '\\': '\\',
  '/': '/',
  "'": "'",
};

/** Decodes JSON's escapes and an escaped apostrophe; null for any other escape. */
function readEscapes(text: string): string | null {
  if (!text.includes('\\')) return text;
  let isKnown = true;
  const plain = text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code?: string, sign = '') => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    isKnown &&= Object.hasOwn(plainEscapes, sign);
    return plainEscapes[sign] ?? '';
  });
  return isKnown ? plain.toWellFormed() : null;
}
