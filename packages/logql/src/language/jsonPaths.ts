/** Parses JSON paths for the parser `json`, such as `user.roles[0]["first name"]`, and keys for `logfmt`. */
import { parseMistake } from '../mistakes.ts';

/** Object keys are texts, list indexes are numbers. */
export type JsonPath = readonly (string | number)[];

type Kind = 'DOT' | 'LSB' | 'RSB' | 'STRING' | 'FIELD' | 'INDEX' | '$end';
type Token = { kind: Kind; text: string };

const signs: Readonly<Record<string, Kind>> = { '.': 'DOT', '[': 'LSB', ']': 'RSB' };
const token = /[ \t\n]*(?:([a-zA-Z_][a-zA-Z0-9_]*)|"([^"\]]*)["\]]?|(\d+)(?=[ \t\n\]])|([.[\]]))/y;

/** Like Loki, ends the path at a character that starts no token. */
function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  token.lastIndex = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [, field, quoted, index, sign] = found;
    if (field !== undefined) tokens.push({ kind: 'FIELD', text: field });
    else if (quoted !== undefined) tokens.push({ kind: 'STRING', text: quoted });
    else if (index !== undefined) tokens.push({ kind: 'INDEX', text: index });
    else if (sign !== undefined) tokens.push({ kind: signs[sign] ?? '$end', text: sign });
  }
  return [...tokens, { kind: '$end', text: '' }];
}

class PathReader {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  /** An index, because removing the first of a long list would move all others. */
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokenize(text);
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
    const sentence = `syntax error: unexpected ${this.#tokens[this.#at]?.kind ?? '$end'}${expected}`;
    throw parseMistake(`cannot parse expression [${this.#text}]: ${sentence}`);
  }
}

export function parseJsonPath(text: string): JsonPath {
  const reader = new PathReader(text);
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
  if (reader.accept('$end') === null) reader.fail([]);
  return path;
}

/** Parses a key: a name, or any text in quotes. */
export function parseLogfmtKey(text: string): string {
  const reader = new PathReader(text);
  const key = reader.accept('FIELD') ?? reader.accept('STRING') ?? reader.fail(['STRING', 'FIELD']);
  if (reader.accept('$end') === null) reader.fail([]);
  return key;
}
