/** Remembers the earlier lines that a follower was sent, so that none is sent again as a new one. */
import { hash } from 'node:crypto';
import { takeTurns } from '@tapedeck/concurrency/turns';
import type { EvaluatedLine } from '@tapedeck/loki-queries';

const briefCharactersMax = 100;

export class SentLines {
  /** Counts how often each line was sent. A follower may stay for days, so long lines are kept as hashes. */
  readonly #counts = new Map<string, number>();

  /** In turns, because thousands of lines may have hundreds of labels each. */
  async remember(lines: readonly EvaluatedLine[]): Promise<void> {
    const takeTurn = takeTurns(1);
    for (const line of lines) {
      await takeTurn();
      const key = keyOf(line);
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    }
  }

  /** Returns whether the line was sent before, once for each time it was sent. Equal lines after that are new. */
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

/** Lines of the same moment may differ only in their labels. */
function keyOf({ micros, text, stream, metadata }: EvaluatedLine): string {
  const key = JSON.stringify([micros, text, stream, metadata]);
  return key.length > briefCharactersMax ? hash('sha256', key, 'base64url') : key;
}
