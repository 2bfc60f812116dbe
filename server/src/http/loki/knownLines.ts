/** Remembers which lines a follower was sent as those of before, so that none of them comes again as one that arrives. */
import { hash } from 'node:crypto';
import type { EvaluatedLine } from '@tapedeck/loki-queries';

const briefCharactersMax = 100;

export class KnownLines {
  /** How often each is there. A follower may stay for days, so long lines are remembered by their hashes. */
  readonly #counts = new Map<string, number>();

  constructor(lines: readonly EvaluatedLine[]) {
    for (const line of lines) {
      const key = keyOf(line);
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    }
  }

  /** Whether the line is one of them. Each is known once: what is the same and comes later is another. */
  take(line: EvaluatedLine): boolean {
    if (this.#counts.size === 0) return false;
    const key = keyOf(line);
    const count = this.#counts.get(key);
    if (count === undefined) return false;
    if (count > 1) this.#counts.set(key, count - 1);
    else this.#counts.delete(key);
    return true;
  }
}

/** Lines of the same moment may differ in their labels alone. */
function keyOf({ micros, text, stream, metadata }: EvaluatedLine): string {
  const key = JSON.stringify([micros, text, stream, metadata]);
  return key.length > briefCharactersMax ? hash('sha256', key, 'base64url') : key;
}
