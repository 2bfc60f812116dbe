/** The pattern of a body that is at hand as a text. */
import { PatternReader } from './patternReader.ts';

export type Pattern = {
  /** 16 hexadecimal digits, which stand for the template. */
  readonly pattern: string;
  readonly template: string;
};

const reader = new PatternReader();

export function findPattern(body: string): Pattern {
  const bytes = Buffer.from(body);
  reader.read(bytes, 0, bytes.length);
  return { pattern: reader.formatPattern(), template: reader.formatTemplate() };
}
