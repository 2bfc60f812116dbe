/**
 * Imports missing entries: parents before their children, and entries of the same time in order. The destination creates the traceIds, so a child
 * waits for its parent's.
 */

import type { ReadyEntry, Refusal } from './entrySending.ts';
import type { ImportedEntries, MicrosRange } from './importedEntries.ts';
import type { SourceEntry } from './sourceShapes.ts';

const knownParentsMax = 100_000; // about ten megabytes

type WindowDeps = {
  imported: ImportedEntries;
  /** Resolves to the refused entries. */
  send(dataset: string, entries: readonly ReadyEntry[]): Promise<Refusal[]>;
  /** Imports a parent that has not been read yet. Resolves to false if it is unavailable. */
  fetchParent(traceId: string, dataset: string): Promise<boolean>;
};

/** The entries that were imported now, that existed before, and that were refused. */
type WindowOutcome = { imported: number; present: readonly string[]; refused: readonly Refusal[] };

export class EntryWindows {
  readonly #deps: WindowDeps;
  /** The parent's new traceId; null: not found. */
  readonly #parents = new Map<string, string | null>();

  constructor(deps: WindowDeps) {
    this.#deps = deps;
  }

  async bring(dataset: string, entries: readonly SourceEntry[]): Promise<WindowOutcome> {
    await this.#findOutside(dataset, entries); // comes first, because it may import some of these entries
    const range = findRange(entries);
    const there =
      range === null ? new Map<string, string>() : await this.#deps.imported.readRange(dataset, range);
    const present = entries.filter(({ traceId }) => there.has(traceId)).map(({ traceId }) => traceId);
    const missing = entries.filter(({ traceId, micros }) => !there.has(traceId) && micros !== null);
    const timeless = entries.filter(({ micros }) => micros === null);
    this.#learn(there, entries);
    const refused: Refusal[] = timeless.map(({ traceId }) => ({
      id: traceId,
      sentence: 'its timestamp cannot be read.',
    }));
    let rest: readonly SourceEntry[] = missing;
    while (rest.length > 0) {
      const sent = chooseReady(rest);
      refused.push(
        ...(await this.#deps.send(
          dataset,
          sent.map(entry => this.#attach(entry)),
        )),
      );
      const sentIds = new Set(sent.map(({ traceId }) => traceId));
      rest = rest.filter(({ traceId }) => !sentIds.has(traceId));
      await this.#learnSent(dataset, { sent, sentIds, rest });
    }
    return { imported: missing.length + timeless.length - refused.length, present, refused };
  }

  #attach(entry: SourceEntry): ReadyEntry {
    if (entry.parentId === '') return { entry, parentId: '' };
    return { entry, parentId: this.#parents.get(entry.parentId) ?? null };
  }

  /** Remembers entries that are parents of others here. */
  #learn(found: ReadonlyMap<string, string>, entries: readonly SourceEntry[]): void {
    for (const { parentId } of entries) {
      const id = found.get(parentId);
      if (parentId !== '' && id !== undefined) this.#remember(parentId, id);
    }
  }

  async #learnSent(
    dataset: string,
    {
      sent,
      sentIds,
      rest,
    }: { sent: readonly SourceEntry[]; sentIds: ReadonlySet<string>; rest: readonly SourceEntry[] },
  ): Promise<void> {
    const parents = new Set(rest.map(({ parentId }) => parentId).filter(id => sentIds.has(id)));
    const range = findRange(sent.filter(({ traceId }) => parents.has(traceId)));
    if (parents.size === 0) return;
    const found =
      range === null ? new Map<string, string>() : await this.#deps.imported.readRange(dataset, range);
    for (const id of parents) this.#remember(id, found.get(id) ?? null); // null for a refused one
  }

  /** Looks for parents outside of these entries, first at the destination, then at the source. */
  async #findOutside(dataset: string, entries: readonly SourceEntry[]): Promise<void> {
    const inside = new Set(entries.map(({ traceId }) => traceId));
    const parentIds = entries.map(({ parentId }) => parentId);
    const isUnknown = (id: string) => id !== '' && !inside.has(id) && !this.#parents.get(id);
    const unknown = [...new Set(parentIds.filter(isUnknown))];
    const found = await this.#deps.imported.find(unknown);
    for (const id of unknown) {
      const isNew = !found.has(id) && !this.#parents.has(id);
      this.#remember(id, null); // stops at a circle of parents
      const isFetched = isNew && (await this.#deps.fetchParent(id, dataset));
      const later = isFetched ? await this.#deps.imported.find([id]) : found;
      this.#remember(id, later.get(id) ?? null);
    }
  }

  #remember(id: string, newId: string | null): void {
    this.#parents.delete(id);
    this.#parents.set(id, newId);
    if (this.#parents.size > knownParentsMax) this.#parents.delete(this.#parents.keys().next().value ?? '');
  }
}

/** Chooses entries to send now, whose parent and earlier entries of the same time are not waiting. */
function chooseReady(entries: readonly SourceEntry[]): readonly SourceEntry[] {
  const inside = new Set(entries.map(({ traceId }) => traceId));
  const waits = ({ parentId }: SourceEntry) => inside.has(parentId);
  const heldTimes = new Set<number | null>();
  const ready = entries.filter(entry => {
    if (!waits(entry) && !heldTimes.has(entry.micros)) return true;
    heldTimes.add(entry.micros);
    return false;
  });
  if (ready.length > 0) return ready;
  // A parent that follows its child at the same time goes first.
  const free = entries.filter(entry => !waits(entry));
  return free.length > 0 ? free : entries.slice(0, 1); // the rest form a circle of parents
}

function findRange(entries: readonly SourceEntry[]): MicrosRange | null {
  let [fromMicros, toMicros] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { micros } of entries) {
    if (micros === null) continue;
    fromMicros = Math.min(fromMicros, micros);
    toMicros = Math.max(toMicros, micros);
  }
  return fromMicros > toMicros ? null : { fromMicros, toMicros };
}
