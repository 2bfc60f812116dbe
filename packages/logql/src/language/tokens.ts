/** Cuts a query into tokens, each with its place. */
import { type Place, parseMistake } from '../mistakes.ts';
import { describePrometheusMistake, parseDuration, parsePrometheusDuration } from './durations.ts';
import { unquote } from './quotes.ts';
import { parseSize } from './sizes.ts';
import { rangeOperations, vectorOperations } from './tree.ts';

export type Token = Place & {
  /** The token's name in the grammar: a sign or a word as it is written, or one of the kinds in capitals. */
  kind: string;
  /** For identifiers, texts, numbers and flags. */
  text: string;
  /** Nanoseconds for durations and ranges, bytes for sizes, the number itself for numbers. */
  value: number;
  /** UTF-16 units from zero. */
  start: number;
  end: number;
};

/** Words that are functions only where a bracket follows; else they are names. */
const functionWords = new Set<string>([
  ...[...rangeOperations, ...vectorOperations],
  ...['vector', 'label_replace', 'bytes', 'duration', 'duration_seconds', 'ip'],
]);

const words = new Set([
  ...['by', 'without', 'bool', 'offset', 'on', 'ignoring', 'group_left', 'group_right', 'or', 'and'],
  ...['unless', 'json', 'regexp', 'logfmt', 'unpack', 'pattern', 'label_format', 'line_format', 'unwrap'],
  ...['decolorize', 'drop', 'keep', 'variants', 'of'],
]);

const longSigns = ['!=', '=~', '!~', '!>', '|=', '|~', '|>', '==', '>=', '<='];
const signs = new Set([...'{}()[],.=|+-*/%^<>']);
const flags = ['--strict', '--keep-empty'];
const bytesMax = 128 * 1024; // Loki's
const tokensMax = 10_000; // more than the parts and operators of a query have

const blank = /[\s]+/y;
const comment = /#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\//y; // Loki's scanner knows those of Go, too
const identifier = /[\p{L}_][\p{L}\p{Nd}_]*/uy;
const number = /(?:0[xX][\da-fA-F]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/y;
const character = /'((?:[^'\\\n]|\\.)*)'/y;
const text = /"(?:[^"\\\n]|\\.)*"|`[^`]*`/y;
const durationTail = /[\d.nuµmshdwy]*/y;
const sizeTail = /[\d.BikKMGTP]*/y;

export function tokenize(query: string): Token[] {
  if (Buffer.byteLength(query) >= bytesMax)
    throw parseMistake(`input size too long (${Buffer.byteLength(query)} > ${bytesMax})`);
  const reader = new Reader(query);
  const tokens: Token[] = [];
  for (;;) {
    const token = reader.next();
    tokens.push(token);
    if (token.kind === '$end') return tokens;
    if (tokens.length > tokensMax) throw parseMistake(`a query holds at most ${tokensMax} words and signs`);
  }
}

class Reader {
  readonly #query: string;
  #at = 0;
  /** The last place that was asked for, from which the next one is counted. */
  #known = { at: 0, line: 1, column: 1 };

  constructor(query: string) {
    this.#query = query;
  }

  next(): Token {
    while (this.#take(blank) !== null || this.#take(comment) !== null);
    const start = this.#at;
    if (start >= this.#query.length) return this.#make('$end', start);
    const quoted = this.#take(text);
    if (quoted !== null) return this.#make('STRING', start, { text: this.#unquote(quoted, start) });
    if (/["`']/.test(this.#query[start] ?? '')) return this.#takeCharacter(start);
    return this.#takeNumber(start) ?? this.#takeWord(start) ?? this.#takeSign(start);
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#query)?.[0] ?? '';
    this.#at += found.length;
    return found === '' ? null : found;
  }

  #make(
    kind: string,
    start: number,
    { isComposed = false, ...more }: Partial<Token> & { isComposed?: boolean } = {},
  ) {
    const { line, column } = this.#place(start);
    const place = { line: isComposed ? 0 : line, column, start, end: this.#at };
    return { kind, text: '', value: 0, ...place, ...more };
  }

  #place(start: number): Place {
    const from = this.#known.at <= start ? this.#known : { at: 0, line: 1, column: 1 };
    let { line, column } = from;
    for (const sign of this.#query.slice(from.at, start)) {
      column = sign === '\n' ? 1 : column + 1;
      if (sign === '\n') line++;
    }
    this.#known = { at: start, line, column };
    return { line, column };
  }

  #unquote(quoted: string, start: number): string {
    const plain = unquote(quoted);
    if (plain === null) throw parseMistake('invalid char escape', this.#place(start));
    return plain;
  }

  /** One character between apostrophes is a name that nothing takes; more of them are a mistake. */
  #takeCharacter(start: number): Token {
    const quoted = this.#take(character);
    if (quoted === null) throw parseMistake('literal not terminated', this.#place(start));
    if (!/^'(?:[^\\]|\\.+)'$/su.test(quoted)) throw parseMistake('invalid char literal', this.#place(start));
    return this.#make('IDENTIFIER', start, { text: quoted });
  }

  #takeNumber(start: number): Token | null {
    const isNegative = /^-\d/.test(this.#query.slice(start, start + 2));
    if (isNegative) this.#at++;
    const digits = this.#take(number);
    if (digits === null) {
      this.#at = start;
      return null;
    }
    const end = this.#at;
    const duration = this.#takeTail(digits, durationTail, parseDuration);
    if (duration !== null)
      return this.#make('DURATION', start, { value: isNegative ? -duration : duration, isComposed: true });
    if (isNegative) {
      this.#at = start;
      return null;
    }
    const size = this.#takeTail(digits, sizeTail, parseSize);
    if (size !== null) return this.#make('BYTES', start, { value: size, isComposed: true });
    this.#at = end;
    if (/[xX_]/.test(digits))
      throw parseMistake(`unable to parse float: strconv.ParseFloat: parsing "${digits}": invalid syntax`);
    return this.#make('NUMBER', start, { text: digits, value: Number(digits) });
  }

  #takeTail(digits: string, tail: RegExp, parse: (text: string) => number | null): number | null {
    const end = this.#at;
    const rest = this.#take(tail);
    const value = rest === null ? null : parse(digits + rest);
    if (value === null) this.#at = end;
    return value;
  }

  #takeWord(start: number): Token | null {
    const word = this.#take(identifier);
    if (word === null) return null;
    const lower = word.toLowerCase();
    if (functionWords.has(lower))
      return this.#make(this.#isCall() ? lower : 'IDENTIFIER', start, { text: word });
    return this.#make(words.has(lower) ? lower : 'IDENTIFIER', start, { text: word });
  }

  /** Whether a bracket follows, or a grouping with one. */
  #isCall(): boolean {
    return /^\s*(?:\(|(?:by|without)\s*\()/i.test(this.#query.slice(this.#at, this.#at + 256));
  }

  #takeSign(start: number): Token {
    const flag = flags.find(each => this.#query.startsWith(each, start));
    if (flag !== undefined && !/[\p{L}-]/u.test(this.#query[start + flag.length] ?? '')) {
      this.#at += flag.length;
      return this.#make('FUNCTION_FLAG', start, { text: flag, isComposed: true });
    }
    if (this.#query[start] === '[') return this.#takeRange(start);
    const long = longSigns.find(sign => this.#query.startsWith(sign, start));
    const sign = long ?? String.fromCodePoint(this.#query.codePointAt(start) ?? 0);
    this.#at += sign.length;
    if (long === undefined && !signs.has(sign)) return this.#make('IDENTIFIER', start, { text: sign });
    return this.#make(sign, start, { isComposed: long !== undefined });
  }

  #takeRange(start: number): Token {
    const end = this.#query.indexOf(']', start);
    const place = { line: 0, column: this.#place(start).column };
    if (end < 0) throw parseMistake("missing closing ']' in duration", place);
    const inner = this.#query.slice(start + 1, end);
    const value = parsePrometheusDuration(inner);
    if (value === null) throw parseMistake(describePrometheusMistake(inner), place);
    this.#at = end + 1;
    return this.#make('RANGE', start, { value, isComposed: true });
  }
}
