/** Cuts a query into tokens with their positions. */
import { type Place, parseMistake } from '../mistakes.ts';
import { describePrometheusMistake, parseDuration, parsePrometheusDuration } from './durations.ts';
import { findNumberMistake, numberToken, requireFloat } from './numbers.ts';
import { nameMistake, type Unquoted, unquoteBytes } from './quotes.ts';
import { parseSize } from './sizes.ts';
import { rangeOperations, vectorOperations } from './tree.ts';

export type Token = Place & {
  /** The token's name in the grammar: a sign or a word as written, or a kind in capitals. */
  kind: string;
  /** For identifiers, texts, numbers and flags. */
  text: string;
  /** Nanoseconds for durations and ranges, bytes for sizes, the number itself for numbers. */
  value: number;
  /** False for a text with escaped bytes that make no character. */
  isUtf8: boolean;
  /** UTF-16 units from zero. */
  start: number;
  end: number;
};

/** The content of a token besides its kind. */
type Read = { text?: string; value?: number; isUtf8?: boolean };

/** Words that are functions if a bracket follows, and names otherwise. */
const functionWords = new Set<string>([
  ...rangeOperations,
  ...vectorOperations,
  'vector',
  'label_replace',
  'bytes',
  'duration',
  'duration_seconds',
  'ip',
]);

const words = new Set([
  'by',
  'without',
  'bool',
  'offset',
  'on',
  'ignoring',
  'group_left',
  'group_right',
  'or',
  'and',
  'unless',
  'json',
  'regexp',
  'logfmt',
  'unpack',
  'pattern',
  'label_format',
  'line_format',
  'unwrap',
  'decolorize',
  'drop',
  'keep',
  'variants',
  'of',
]);

const signs = new Set([...'{}()[],.=|+-*/%^<>']);
const longSigns = new Set(['!=', '=~', '!~', '!>', '|=', '|~', '|>', '==', '>=', '<=']);
const flags = ['--strict', '--keep-empty'];
const bytesMax = 128 * 1024; // Loki's limit
const tokensMax = 10_000; // more than the parts and operators of a query have

const newline = 0x0a;
const space = 0x20;
const quotation = 0x22;
const hash = 0x23;
const slash = 0x2f;
const backslash = 0x5c;
const underscore = 0x5f;
const ascii = 0x80; // the first code after ASCII
const lowSurrogate = 0xdc00;
const lineEnds = new Set(['\n', '\r', '\u2028', '\u2029']); // a backslash cannot escape them

const blank = /[\s]+/y;
const comment = /#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\//y; // Loki's scanner accepts Go comments, too
const identifier = /[\p{L}_][\p{L}\p{Nd}_]*/uy;
const plainIdentifier = /[a-zA-Z_]\w*/y;
const character = /'((?:[^'\\\n]|\\.)*)'/y;
const durationTail = /[\d.nuµmshdwy]*/y;
const sizeTail = /[\d.BikKMGT]*/y; // as in Loki, no units beyond: its scanner takes P and E for exponents
const call = /\s*(?:\(|(?:by|without)\s*\()/iy;

/** Cuts tokens lazily, as the parser asks for them. Text after a mistake costs nothing. */
export class Tokens {
  readonly #query: string;
  #at = 0;
  #count = 0;
  /** The last computed place; the next computation continues from it. */
  #known = { at: 0, line: 1, column: 1 };

  constructor(query: string) {
    if (Buffer.byteLength(query) >= bytesMax)
      throw parseMistake(`input size too long (${Buffer.byteLength(query)} > ${bytesMax})`);
    this.#query = query;
  }

  /** Returns the next token; after the last one, always `$end`. */
  next(): Token {
    if (++this.#count > tokensMax) throw parseMistake(`a query holds at most ${tokensMax} words and signs`);
    this.#skipBlanks();
    const start = this.#at;
    if (start >= this.#query.length) return this.#make('$end', start);
    const code = this.#query.charCodeAt(start);
    if (isLetter(code)) return this.#takeWord(start, plainIdentifier) ?? this.#takeSign(start);
    switch (this.#query[start]) {
      case '"':
      case '`':
        return this.#takeText(start);
      case "'":
        return this.#takeCharacter(start);
      case '/':
        if (this.#query[start + 1] !== '*') break;
        throw parseMistake('comment not terminated', this.#place(start));
      case '-':
      case '.':
        return this.#takeNumber(start) ?? this.#takeSign(start);
    }
    if (isDigit(code)) return this.#takeNumber(start) ?? this.#takeSign(start);
    return (code < ascii ? null : this.#takeWord(start, identifier)) ?? this.#takeSign(start);
  }

  #skipBlanks(): void {
    for (;;) {
      const code = this.#query.charCodeAt(this.#at);
      if (code <= space || code >= ascii) {
        if (this.#take(blank) === null) return;
      } else if ((code !== hash && code !== slash) || this.#take(comment) === null) return;
    }
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#query) || pattern.lastIndex === this.#at) return null;
    const start = this.#at;
    this.#at = pattern.lastIndex;
    return this.#query.slice(start, this.#at);
  }

  #make(kind: string, start: number, { text = '', value = 0, isUtf8 = true }: Read = {}): Token {
    const { line, column } = this.#place(start);
    return { kind, text, value, isUtf8, line, column, start, end: this.#at };
  }

  /** Composes a token without a line: Loki does not report one for these tokens. */
  #compose(kind: string, start: number, { text = '', value = 0 }: Read = {}): Token {
    return {
      kind,
      text,
      value,
      isUtf8: true,
      line: 0,
      column: this.#place(start).column,
      start,
      end: this.#at,
    };
  }

  #place(start: number): Place {
    const known = this.#known;
    if (known.at > start) Object.assign(known, { at: 0, line: 1, column: 1 });
    for (; known.at < start; known.at++) {
      const code = this.#query.charCodeAt(known.at);
      if (code === newline) {
        known.line++;
        known.column = 1;
      } else if ((code & 0xfc00) !== lowSurrogate) known.column++;
    }
    return { line: known.line, column: known.column };
  }

  #takeText(start: number): Token {
    const end = findClosing(this.#query, start);
    if (end < 0) return this.#takeCharacter(start);
    this.#at = end + 1;
    return this.#make('STRING', start, this.#unquote(this.#query.slice(start, this.#at), start));
  }

  #unquote(quoted: string, start: number): Unquoted {
    const plain = unquoteBytes(quoted);
    if (plain === null) throw parseMistake(nameMistake(quoted), this.#place(start));
    return { text: plain.text.toWellFormed(), isUtf8: plain.isUtf8 };
  }

  /** Reads a character in apostrophes as a name that no grammar rule accepts. Several characters are a mistake. */
  #takeCharacter(start: number): Token {
    const quoted = this.#take(character);
    if (quoted === null) throw parseMistake('literal not terminated', this.#place(start));
    if (!/^'(?:[^\\]|\\.+)'$/su.test(quoted)) throw parseMistake('invalid char literal', this.#place(start));
    return this.#make('IDENTIFIER', start, { text: quoted });
  }

  #takeNumber(start: number): Token | null {
    const isNegative = this.#query[start] === '-' && isDigit(this.#query.charCodeAt(start + 1));
    if (isNegative) this.#at++;
    const digits = this.#take(numberToken);
    if (digits === null) {
      this.#at = start;
      return null;
    }
    const mistake = findNumberMistake(digits);
    if (mistake !== null) throw parseMistake(mistake, this.#place(isNegative ? start + 1 : start));
    const end = this.#at;
    const duration = this.#takeTail(digits, durationTail, parseDuration);
    if (duration !== null)
      return this.#compose('DURATION', start, { value: isNegative ? -duration : duration });
    if (isNegative) {
      this.#at = start;
      return null;
    }
    const size = this.#takeTail(digits, sizeTail, parseSize);
    if (size !== null) return this.#compose('BYTES', start, { value: size });
    this.#at = end;
    return this.#make('NUMBER', start, { text: digits, value: requireFloat(digits) });
  }

  #takeTail(digits: string, tail: RegExp, parse: (text: string) => number | null): number | null {
    const end = this.#at;
    const rest = this.#take(tail);
    const value = rest === null ? null : parse(digits + rest);
    if (value === null) this.#at = end;
    return value;
  }

  #takeWord(start: number, pattern: RegExp): Token | null {
    let word = this.#take(pattern);
    if (word !== null && this.#query.charCodeAt(this.#at) >= ascii) {
      this.#at = start;
      word = this.#take(identifier);
    }
    if (word === null) return null;
    const lower = word.toLowerCase();
    const isNamed = functionWords.has(lower) ? this.#isCall() : words.has(lower);
    return this.#make(isNamed ? lower : 'IDENTIFIER', start, { text: word });
  }

  /** Whether a bracket follows, or a grouping and a bracket. */
  #isCall(): boolean {
    call.lastIndex = this.#at;
    return call.test(this.#query);
  }

  #takeSign(start: number): Token {
    const sign = String.fromCodePoint(this.#query.codePointAt(start) ?? 0);
    if (sign === '[') return this.#takeRange(start);
    const flag = sign === '-' ? flags.find(each => this.#query.startsWith(each, start)) : undefined;
    if (flag !== undefined && !/[\p{L}-]/u.test(this.#query[start + flag.length] ?? '')) {
      this.#at += flag.length;
      return this.#compose('FUNCTION_FLAG', start, { text: flag });
    }
    const two = sign + (this.#query[start + 1] ?? '');
    const isLong = longSigns.has(two);
    this.#at += isLong ? two.length : sign.length;
    if (isLong) return this.#compose(two, start);
    return signs.has(sign) ? this.#make(sign, start) : this.#make('IDENTIFIER', start, { text: sign });
  }

  #takeRange(start: number): Token {
    const end = this.#query.indexOf(']', start);
    const place = { line: 0, column: this.#place(start).column };
    if (end < 0) throw parseMistake("missing closing ']' in duration", place);
    const inner = this.#query.slice(start + 1, end);
    const value = parsePrometheusDuration(inner);
    if (value === null) throw parseMistake(describePrometheusMistake(inner), place);
    this.#at = end + 1;
    return this.#compose('RANGE', start, { value });
  }
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || code === underscore;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Finds the closing quotation mark; -1 without one. Text in double quotes must end on the same line. */
function findClosing(query: string, start: number): number {
  if (query[start] === '`') return query.indexOf('`', start + 1);
  for (let at = start + 1; at < query.length; at++) {
    const code = query.charCodeAt(at);
    if (code === quotation) return at;
    if (code === backslash) at++;
    if (code === newline || (code === backslash && lineEnds.has(query[at] ?? '\n'))) return -1;
  }
  return -1;
}
