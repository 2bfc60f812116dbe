/** Steps through the tokens of a query, and reports unexpected ones. */
import { weighExpression, weightMax } from '../expressionWeights.ts';
import { type LogqlMistake, parseMistake } from '../mistakes.ts';
import { type Token, Tokens } from './tokens.ts';

const expectationsMax = 4; // Loki omits longer lists, too
const depthMax = 100; // nested brackets; the longest query could have thousands
const joinsMax = 2_000; // filters and operators, each of which makes the tree deeper
/**
 * Limits matchers, stages, searched texts, comparisons, extractions and named labels together: each costs evaluation time,
 * however short it is. The store handles about three hundred conditions, which takes it a second.
 */
const partsMax = 250;
const searchedBytesMax = 120_000; // of all searched texts, as the store sends them to its engine, which takes 128 KiB a text

export class Cursor {
  readonly #source: Tokens;
  /** Tokens read so far. */
  readonly #tokens: Token[] = [];
  #at = 0;
  #depth = 0;
  #joins = 0;
  #parts = 0;
  #weight = 0;
  #searchedBytes = 0;

  readonly #partsMax: number;

  constructor(query: string, isBounded: boolean) {
    this.#partsMax = isBounded ? partsMax : Number.POSITIVE_INFINITY;
    this.#source = new Tokens(query);
  }

  get current(): Token {
    return this.peek(0);
  }

  get place(): number {
    return this.#at;
  }

  peek(ahead: number): Token {
    for (;;) {
      const token = this.#tokens[this.#at + ahead];
      if (token !== undefined) return token;
      this.#tokens.push(this.#source.next());
    }
  }

  is(...kinds: readonly string[]): boolean {
    return kinds.includes(this.current.kind);
  }

  take(): Token {
    const token = this.current;
    this.#at++;
    return token;
  }

  /** Takes the token if it is of one of these kinds. */
  accept(...kinds: readonly string[]): Token | null {
    return this.is(...kinds) ? this.take() : null;
  }

  expect(...kinds: readonly string[]): Token {
    return this.accept(...kinds) ?? this.fail(kinds);
  }

  /** Without `kinds`, the message lists no expectations, because too many tokens would fit. */
  fail(kinds: readonly string[] = []): never {
    throw this.describe(kinds);
  }

  describe(kinds: readonly string[]): LogqlMistake {
    const expected =
      kinds.length > 0 && kinds.length <= expectationsMax ? `, expecting ${kinds.join(' or ')}` : '';
    return parseMistake(`syntax error: unexpected ${nameToken(this.current)}${expected}`, this.current);
  }

  /** Tries to read something. If `read` returns null, goes back to where it started. */
  attempt<Found>(read: () => Found | null): Found | null {
    const place = this.#at;
    const found = read();
    if (found === null) this.#at = place;
    return found;
  }

  /** Counts an operator or a joined filter. */
  join(): void {
    if (++this.#joins > joinsMax)
      throw parseMistake(
        `a query holds at most ${joinsMax} operators and joined label filters`,
        this.current,
      );
  }

  /** Counts parts of the query. */
  count(parts = 1): void {
    this.#parts += parts;
    if (this.#parts > this.#partsMax)
      throw parseMistake(`a query holds at most ${partsMax} matchers, stages, alternatives and labels`);
  }

  /** Counts a text that the store searches for, and its bytes. */
  search(text: string, parts = 1): void {
    this.count(parts);
    this.#searchedBytes += countSentBytes(text);
    if (this.#searchedBytes > searchedBytesMax && this.#partsMax === partsMax)
      throw parseMistake(
        `the texts of a query are too long: together they may take ${searchedBytesMax} bytes`,
      );
  }

  /** Limits the weight of all expressions together before they are compiled. `compileExpression` rejects a single one that is too heavy. */
  weigh({ text: expression, isUtf8 }: Token): void {
    if (!isUtf8) throw parseMistake(`error parsing regexp: invalid UTF-8: \`${expression}\``);
    const weight = weighExpression(expression);
    if (weight <= weightMax) this.#weight += weight;
    if (this.#weight > weightMax)
      throw parseMistake('the expressions of a query are too long together, or repeat their parts too often');
  }

  /** Reads something that may be nested. */
  nest<Found>(read: () => Found): Found {
    if (++this.#depth > depthMax) throw parseMistake(`brackets go at most ${depthMax} deep`, this.current);
    const found = read();
    this.#depth--;
    return found;
  }
}

/** Returns at least the bytes of the text in a URL, in which signs are escaped. */
function countSentBytes(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 128) bytes += 9;
    else if (code < 32 || code === backslash) bytes += 6;
    else bytes += isPlain(code) ? 1 : 3;
  }
  return bytes;
}

const backslash = 0x5c;

/** Returns whether it is a digit or a letter. */
function isPlain(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

/** Names a token as Loki does. */
function nameToken({ kind }: Token): string {
  return kind.endsWith('_over_time') || capitals.has(kind) ? kind.toUpperCase() : kind;
}

const capitals = new Set([
  'rate',
  'rate_counter',
  'bytes_rate',
  'sum',
  'avg',
  'max',
  'min',
  'count',
  'stddev',
  'stdvar',
  'topk',
  'bottomk',
  'approx_topk',
  'sort',
  'sort_desc',
  'vector',
]);
