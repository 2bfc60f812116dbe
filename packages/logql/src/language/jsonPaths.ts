/** Parses JSON paths for the parser `json`, such as `user.roles[0]["first name"]`, and keys for `logfmt`. */
import { type LogqlMistake, parseMistake } from '../mistakes.ts';

/** Object keys are texts, list indexes are numbers. */
export type JsonPath = readonly (string | number)[];

type Kind = 'DOT' | 'LSB' | 'RSB' | 'STRING' | 'FIELD' | 'KEY' | 'INDEX' | '$end';
type Token = { kind: Kind; text: string };
type Tokens = {
  tokens: readonly Token[];
  /** Why the last token is the last one; null at the end of the text. */
  mistake: string | null;
};

const signs: Readonly<Record<string, Kind>> = { '.': 'DOT', '[': 'LSB', ']': 'RSB' };
const pathToken = /[ \t\n]*(?:([a-zA-Z_][a-zA-Z0-9_]*)|"([^"\]]*)["\]]?|(\d+)(?=[ \t\n\]])|([.[\]]))/y;
const keyToken = /[ \t\n]*(?:([a-zA-Z_][a-zA-Z0-9_]*)|"([^"\]]*)["\]]?)/y;
const indexMax = 2n ** 63n - 1n; // Go's

/** Like Loki, reads nothing behind a character that starts no token. */
function tokenize(text: string, token: RegExp, name: 'FIELD' | 'KEY'): Tokens {
  const tokens: Token[] = [];
  let end = 0;
  token.lastIndex = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [, field, quoted, index, sign] = found;
    if (index !== undefined && BigInt(index) > indexMax)
      return endTokens(tokens, `strconv.Atoi: parsing "${index}": value out of range`);
    if (field !== undefined) tokens.push({ kind: name, text: field });
    else if (quoted !== undefined) tokens.push({ kind: 'STRING', text: quoted });
    else if (index !== undefined) tokens.push({ kind: 'INDEX', text: index });
    else if (sign !== undefined) tokens.push({ kind: signs[sign] ?? '$end', text: sign });
    end = token.lastIndex;
  }
  return endTokens(tokens, explainEnd(text.slice(end).replace(/^[ \t\n]+/, ''), name));
}

function endTokens(tokens: readonly Token[], mistake: string | null): Tokens {
  return { tokens: [...tokens, { kind: '$end', text: '' }], mistake };
}

function explainEnd(rest: string, name: 'FIELD' | 'KEY'): string | null {
  const [first] = [...rest];
  if (first === undefined) return null;
  const [, after] = (name === 'FIELD' && /^\d+(.?)/su.exec(rest)) || [];
  if (after === undefined) return `unexpected char ${first}`;
  return after === '.' ? 'cannot use float as array index' : `non-integer value: ${after || '\0'}`;
}

class PathReader {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #mistake: string | null;
  /** An index, because removing the first of a long list would move all others. */
  #at = 0;

  constructor(text: string, { tokens, mistake }: Tokens) {
    this.#text = text;
    this.#tokens = tokens;
    this.#mistake = mistake;
  }

  accept(kind: Kind): string | null {
    const next = this.#tokens[this.#at];
    if (next?.kind !== kind) return null;
    this.#at++;
    return next.text;
  }

  expect(kind: Kind): string {
    return this.accept(kind) ?? this.fail([kind]);
  }

  fail(kinds: readonly Kind[]): never {
    const expected = kinds.length === 0 ? '' : `, expecting ${kinds.join(' or ')}`;
    throw this.#describe(`syntax error: unexpected ${this.#tokens[this.#at]?.kind ?? '$end'}${expected}`);
  }

  /** As in Loki, the grammar's mistakes hide those of tokens. */
  end(): void {
    if (this.accept('$end') === null) this.fail([]);
    if (this.#mistake !== null) throw this.#describe(this.#mistake);
  }

  #describe(sentence: string): LogqlMistake {
    return parseMistake(`cannot parse expression [${this.#text}]: ${sentence}`);
  }
}

export function parseJsonPath(text: string): JsonPath {
  const reader = new PathReader(text, tokenize(text, pathToken, 'FIELD'));
  const path: (string | number)[] = [];
  const readAccess = () => {
    const key = reader.accept('STRING');
    const index = key === null ? reader.accept('INDEX') : null;
    path.push(key ?? (index === null ? reader.fail(['STRING', 'INDEX']) : Number(index)));
    reader.expect('RSB');
  };
  const first = reader.accept('FIELD');
  if (first !== null) path.push(first);
  else if (reader.accept('LSB') === null) reader.fail(['LSB', 'FIELD']);
  else readAccess();
  for (;;) {
    if (reader.accept('DOT') !== null) path.push(reader.expect('FIELD'));
    else if (reader.accept('LSB') !== null) readAccess();
    else break;
  }
  reader.end();
  return path;
}

/** Parses a key: a name, or any text in quotes. As in Loki, several make a key with blanks, which no line has. */
export function parseLogfmtKey(text: string): string {
  const reader = new PathReader(text, tokenize(text, keyToken, 'KEY'));
  const words = [reader.accept('KEY') ?? reader.accept('STRING') ?? reader.fail(['STRING', 'KEY'])];
  for (let more = reader.accept('STRING'); more !== null; more = reader.accept('STRING')) words.push(more);
  reader.end();
  return words.join(' ');
}
