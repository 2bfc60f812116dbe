/** Imports the log entries of another service, dataset by dataset, oldest first, and finally counts whether all arrived. */

import type { ReportProgress } from '@tapedeck/command-line';
import { formatMicros } from '@tapedeck/log-entries';
import type { Destination } from './destination.ts';
import { type EntryMark, firstMark, RecentIds, readEntryPages } from './entryPages.ts';
import { type ReadyEntry, sendEntries } from './entrySending.ts';
import { EntryWindows } from './entryWindow.ts';
import { ImportedEntries } from './importedEntries.ts';
import type { ImportCounts, ImportWatch } from './importReport.ts';
import type { ImportState } from './importState.ts';
import { sendPending } from './pendingBatch.ts';
import type { Source } from './source.ts';
import type { SourceEntry } from './sourceShapes.ts';

const windowEntries = 2_000; // the next window is read while this one is sent
const readingsMax = 3; // for a dataset that changes meanwhile
const stateName = 'entries.json';

type DatasetState = EntryMark & { seen: number; failed: number };
type EntryState = { datasets: Record<string, DatasetState>; ahead: string[] };

export type EntryImportDeps = {
  source: Source;
  destination: Destination;
  folder: ImportState;
  watch: ImportWatch;
};

type Wanted = { datasets: readonly string[]; since: string | null; sinceMicros: number | null };

export async function importEntries(
  deps: EntryImportDeps,
  wanted: { datasets: readonly string[]; since: string | null },
): Promise<ImportCounts> {
  const known = await deps.source.listDatasets();
  const datasets = wanted.datasets.length > 0 ? wanted.datasets : (known ?? ['default']);
  if (known === null && wanted.datasets.length === 0)
    deps.watch.say(
      `${deps.source.baseUrl} does not list its datasets. Only "default" is imported; name others with --dataset A,B.`,
    );
  const sinceMicros = wanted.since === null ? null : Date.parse(wanted.since) * 1000;
  const terms = { datasets, since: wanted.since, sinceMicros };
  const run = await EntryImport.open(deps, terms, { canFetch: known !== null });
  for (const dataset of datasets) await run.bringDataset(dataset);
  return run.counts();
}

class EntryImport {
  readonly #deps: EntryImportDeps;
  readonly #wanted: Wanted;
  readonly #state: EntryState;
  readonly #windows: EntryWindows;
  readonly #reportProgress: ReportProgress;
  readonly #ahead: Set<string>;
  readonly #canFetch: boolean;
  #imported = 0;

  private constructor(
    deps: EntryImportDeps,
    wanted: Wanted,
    { state, canFetch }: { state: EntryState; canFetch: boolean },
  ) {
    this.#deps = deps;
    this.#wanted = wanted;
    this.#state = state;
    this.#ahead = new Set(state.ahead);
    this.#canFetch = canFetch;
    this.#reportProgress = deps.watch.openProgress('log entries', null);
    this.#windows = new EntryWindows({
      imported: new ImportedEntries(deps.destination.remote),
      send: (dataset, entries) => this.#send(dataset, entries),
      fetchParent: traceId => this.#fetchParent(traceId),
    });
  }

  static async open(
    deps: EntryImportDeps,
    wanted: Wanted,
    { canFetch }: { canFetch: boolean },
  ): Promise<EntryImport> {
    const { folder, destination } = deps;
    await sendPending(destination.remote, folder, destination.isSameToken);
    const state = (await folder.read<EntryState>(stateName)) ?? { datasets: {}, ahead: [] };
    return new EntryImport(deps, wanted, { state, canFetch });
  }

  /** Imports a dataset. If it holds more entries than were read, reads it again from the start, because entries with earlier times have arrived. */
  async bringDataset(dataset: string): Promise<void> {
    for (let reading = 1; reading <= readingsMax; reading++) {
      const isAgain = reading > 1;
      await this.#read(dataset, isAgain);
      if (await this.#isComplete(dataset)) return;
    }
    this.#deps.watch.say(
      `${dataset}: the source counts more entries than it lists, perhaps because more arrive. Run the command again.`,
    );
  }

  counts(): ImportCounts {
    const states = Object.values(this.#state.datasets);
    const found = states.reduce((sum, { seen }) => sum + seen, 0);
    const failed = states.reduce((sum, state) => sum + state.failed, 0);
    return { found, imported: this.#imported, skipped: found - this.#imported - failed, failed };
  }

  async #read(dataset: string, isAgain: boolean): Promise<void> {
    const { source } = this.#deps;
    const { since } = this.#wanted;
    const mark = isAgain ? firstMark : this.#stateOf(dataset);
    const recent = new RecentIds(mark);
    const windows = joinPages(readEntryPages(source, { dataset, since, mark }));
    let next = windows.next();
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = windows.next(); // reads the next window while sending this one
      next.catch(() => {}); // the next loop handles the error
      await this.#bring(dataset, value, isAgain);
      for (const entry of value) recent.add(entry);
      if (!isAgain) Object.assign(this.#stateOf(dataset), recent.mark());
      await this.#save();
    }
  }

  async #bring(dataset: string, entries: readonly SourceEntry[], isAgain: boolean): Promise<void> {
    const state = this.#stateOf(dataset);
    const { imported, present, refused } = await this.#windows.bring(dataset, entries);
    const early = present.filter(id => this.#ahead.delete(id)).length;
    this.#imported += imported + early;
    if (isAgain) {
      state.seen += imported + early; // the first reading counted the others
      return;
    }
    state.seen += entries.length;
    state.failed += refused.length;
    for (const { id, sentence } of refused) this.#deps.watch.refuse(`Entry ${id}`, sentence);
    this.#reportProgress({ entries: this.counts().found });
  }

  #send(dataset: string, entries: readonly ReadyEntry[]) {
    const { destination, folder } = this.#deps;
    return sendEntries({ remote: destination.remote, folder }, dataset, entries);
  }

  /** Fetches a parent that comes later or in another dataset. The reading counts it when it gets there. */
  async #fetchParent(traceId: string): Promise<boolean> {
    if (!this.#canFetch) return false;
    const entry = await this.#deps.source.findEntry(traceId);
    const { datasets, sinceMicros } = this.#wanted;
    if (entry === null || entry.micros === null || entry.dataset === null) return false;
    if (!datasets.includes(entry.dataset) || entry.micros < (sinceMicros ?? 0)) return false;
    const { imported } = await this.#windows.bring(entry.dataset, [entry]);
    if (imported > 0) this.#ahead.add(entry.traceId);
    return true;
  }

  async #isComplete(dataset: string): Promise<boolean> {
    const { micros, seen } = this.#stateOf(dataset);
    if (micros === null) return true;
    const place = { dataset, from: this.#wanted.since, to: formatMicros(micros) };
    const total = await this.#deps.source.countEntries(place);
    return total === null || total <= seen;
  }

  #stateOf(dataset: string): DatasetState {
    const state = this.#state.datasets[dataset] ?? { ...firstMark, seen: 0, failed: 0 };
    this.#state.datasets[dataset] = state;
    return state;
  }

  async #save(): Promise<void> {
    await this.#deps.folder.write(stateName, { ...this.#state, ahead: [...this.#ahead] });
  }
}

async function* joinPages(
  pages: AsyncIterable<readonly SourceEntry[]>,
): AsyncGenerator<readonly SourceEntry[], undefined> {
  let joined: SourceEntry[] = [];
  for await (const page of pages) {
    joined.push(...page);
    if (joined.length < windowEntries) continue;
    yield joined;
    joined = [];
  }
  if (joined.length > 0) yield joined;
}
