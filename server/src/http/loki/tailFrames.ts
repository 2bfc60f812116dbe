/** Divides the lines of a tail into frames. Each is small enough to be written without blocking other requests. */
import type { EvaluatedLine } from '@tapedeck/loki-queries';

const frameCharactersMax = 256 * 1024; // unless a single line has more; written in some milliseconds
const labelCharacters = 16; // a label's share of the work besides its text

export function* divideIntoFrames(lines: readonly EvaluatedLine[]): Generator<EvaluatedLine[]> {
  let frame: EvaluatedLine[] = [];
  let characters = 0;
  for (const line of lines) {
    const own = countCharacters(line);
    if (frame.length > 0 && characters + own > frameCharactersMax) {
      yield frame;
      frame = [];
      characters = 0;
    }
    frame.push(line);
    characters += own;
  }
  if (frame.length > 0) yield frame;
}

export function countCharacters({ text, stream, metadata, parsed }: EvaluatedLine): number {
  let characters = text.length;
  for (const labels of [stream, metadata, parsed])
    for (const [name, value] of labels) characters += name.length + value.length + labelCharacters;
  return characters;
}
