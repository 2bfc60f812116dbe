/**
 * Reads the entries of a dataset, oldest first, from pages that know only offsets, while the source changes. Deep offsets are slow and shift when
 * older entries change, so it sometimes restarts at the last entry's time. Each page repeats the last entry of the previous one. If it
 * does not, entries have shifted.
 */
import { formatMicros } from '@tapedeck/log-entries';
import type { Source } from './source.ts';
import type { SourceEntry } from './sourceShapes.ts';

/** The position of a reader. */
export type EntryMark = {
  /** Unix microseconds of the latest entry; null: at the start. */
  micros: number | null;
  /** The traceIds of the last second: a source may cut the fraction off the requested time. */
  recent: readonly string[];
};

const offsetMax = 5_000; // fifty pages
const secondMicros = 1_000_000;

export const firstMark: EntryMark = { micros: null, recent: [] };

type Range = { dataset: string; since: string | null; mark: EntryMark };

/** Yields pages of entries after the mark, and unknown ones at its time. */
export async function* readEntryPages(
  source: Source,
  { dataset, since, mark }: Range,
): AsyncGenerator<readonly SourceEntry[]> {
  const recent = new RecentIds(mark);
  let from = mark.micros === null ? since : formatMicros(mark.micros);
  let fromMicros = mark.micros;
  let offset = 0;
  let lastId: string | null = null;
  for (;;) {
    const { entries, isLast } = await source.listEntries({ dataset, from, offset });
    const hasSlipped = lastId !== null && entries[0]?.traceId !== lastId;
    const fresh = entries.filter(entry => recent.add(entry));
    if (fresh.length > 0) yield fresh;
    const { latest } = recent;
    const canMove = latest !== null && (fromMicros === null || latest > fromMicros);
    if (canMove && (hasSlipped || offset > offsetMax)) {
      [from, fromMicros, offset, lastId] = [formatMicros(latest), latest, 0, null];
      continue;
    }
    // It cannot restart at a later time, so it looks for the shifted entry on further pages.
    if (isLast) return;
    lastId = entries.at(-1)?.traceId ?? null;
    offset += Math.max(entries.length - 1, 1);
  }
}

/** Remembers the traceIds of the second before the latest time. */
export class RecentIds {
  latest: number | null;
  readonly #ids: Map<string, number>;
  #pruneAt: number;

  constructor({ micros, recent }: EntryMark) {
    this.latest = micros;
    this.#ids = new Map(recent.map(id => [id, micros ?? 0]));
    this.#pruneAt = micros ?? 0;
  }

  /** Returns false for a known entry. */
  add({ traceId, micros }: SourceEntry): boolean {
    if (this.#ids.has(traceId)) return false;
    const at = micros ?? this.latest ?? 0;
    this.#ids.set(traceId, at);
    this.latest = Math.max(this.latest ?? at, at);
    if (this.latest - this.#pruneAt > 2 * secondMicros) this.#prune();
    return true;
  }

  mark(): EntryMark {
    this.#prune();
    return { micros: this.latest, recent: [...this.#ids.keys()] };
  }

  #prune(): void {
    const oldest = (this.latest ?? 0) - secondMicros;
    for (const [id, at] of this.#ids) if (at < oldest) this.#ids.delete(id);
    this.#pruneAt = this.latest ?? 0;
  }
}
