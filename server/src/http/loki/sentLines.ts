/** Remembers the earlier lines that a follower was sent, so that none is sent again as a new one. */
import { createHash } from 'node:crypto';
import { takeTurns } from '@tapedeck/concurrency/turns';
import type { EvaluatedLine } from '@tapedeck/loki-queries';
import { countCharacters } from './tailFrames.ts';

const briefCharactersMax = 100;

export class SentLines {
  /** Counts how often each line was sent. A follower may stay for days, so long lines are kept as hashes. */
  readonly #counts = new Map<string, number>();

  /** In turns, because thousands of lines may have hundreds of labels each. */
  async remember(lines: readonly EvaluatedLine[]): Promise<void> {
    const takeTurn = takeTurns(1);
    for (const line of lines) {
      const key = await makeKey(line, takeTurn);
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    }
  }

  /** Leaves out each line as often as it was sent before. Equal lines after that are new. */
  async selectNew(lines: readonly EvaluatedLine[]): Promise<EvaluatedLine[]> {
    const takeTurn = takeTurns(1);
    const found: EvaluatedLine[] = [];
    for (const line of lines) {
      const isNew = this.#counts.size === 0 || !this.#take(await makeKey(line, takeTurn));
      if (isNew) found.push(line);
    }
    return found;
  }

  #take(key: string): boolean {
    const count = this.#counts.get(key);
    if (count === undefined) return false;
    if (count > 1) this.#counts.set(key, count - 1);
    else this.#counts.delete(key);
    return true;
  }
}

/** Lines of the same moment may differ only in their labels. A label may have megabytes, so each is hashed in a separate turn. */
async function makeKey(line: EvaluatedLine, takeTurn: () => Promise<void> | null): Promise<string> {
  await takeTurn();
  const { micros, text, stream, metadata } = line;
  if (countCharacters(line) <= briefCharactersMax) return JSON.stringify([micros, text, stream, metadata]);
  const hash = createHash('sha256').update(JSON.stringify([micros, text, stream.length]));
  for (const label of [...stream, ...metadata]) {
    hash.update(JSON.stringify(label));
    await takeTurn();
  }
  return hash.digest('base64url');
}
