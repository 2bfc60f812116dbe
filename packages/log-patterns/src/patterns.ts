/** The pattern of an entry that is at hand as texts. */
import { encodeLeaves } from './leaves.ts';
import { PatternReader } from './patternReader.ts';

export type Pattern = {
  /** 16 hexadecimal digits, which stand for the template. */
  readonly pattern: string;
  readonly template: string;
};

const reader = new PatternReader();

/** Without metadata by the rules of version 1, which know the body alone. */
export function findPattern(body: string, metadata?: Readonly<Record<string, string>>): Pattern {
  const bytes = Buffer.from(body);
  if (metadata === undefined) reader.read(bytes, 0, bytes.length);
  else reader.readEntry({ bytes, start: 0, end: bytes.length }, encodeLeaves(metadata));
  return { pattern: reader.formatPattern(), template: reader.formatTemplate() };
}
