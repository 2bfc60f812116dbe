/** Computes the pattern of an entry that is given as texts. */
import type { Leaves } from './entryNames.ts';
import { PatternReader } from './patternReader.ts';

type Pattern = {
  /** 16 hexadecimal digits: the hash of the template. */
  readonly pattern: string;
  readonly template: string;
};

const reader = new PatternReader();

/** Without metadata, applies the rules of version 1, which use only the body. */
export function findPattern(body: string, metadata?: Readonly<Record<string, string>>): Pattern {
  const bytes = Buffer.from(body);
  if (metadata === undefined) reader.read(bytes, 0, bytes.length);
  else reader.readEntry({ bytes, start: 0, end: bytes.length }, encodeLeaves(metadata));
  return { pattern: reader.formatPattern(), template: reader.formatTemplate() };
}

type StoredEntry = {
  readonly pattern: string;
  readonly body: string;
  readonly metadata: Readonly<Record<string, string>>;
};

/** Finds the template by the version whose rules gave the entry its pattern; null: none. Tracebacks of version 2 use version 1's pattern. */
export function findTemplate({ pattern, body, metadata }: StoredEntry): string | null {
  const plain = findPattern(body);
  if (plain.pattern === pattern) return plain.template;
  const named = findPattern(body, metadata);
  return named.pattern === pattern ? named.template : null;
}

function encodeLeaves(metadata: Readonly<Record<string, string>>): Leaves {
  const paths = encodeTexts(Object.keys(metadata));
  const values = encodeTexts(Object.values(metadata));
  return { paths, pathsStart: 0, values, valuesStart: 0, valuesEnd: values.length };
}

function encodeTexts(texts: readonly string[]): Uint8Array {
  return Buffer.concat(
    texts.flatMap(text => {
      const bytes = Buffer.from(text);
      return [encodeLength(bytes.length), bytes];
    }),
  );
}

function encodeLength(length: number): Buffer {
  const bytes: number[] = [];
  let rest = length;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}
