/** A store of entries on and between the borders of slots, and their counts by hand, for tests of counts by slots. */
import { composeTraceId, type LogFilter, logLevels } from '@tapedeck/log-entries';
import { compileCondition, everything, MatchableEntry, parseQuery } from '@tapedeck/log-query-language';
import { createRunner, type Runner } from '../src/queries/queryRunner.ts';
import type { KeptField } from '../src/queries/rollups/keptSlots.ts';
import { SlotCounts } from '../src/queries/rollups/slotCounts.ts';
import { runCommand } from '../src/writer/engine/statements.ts';
import { localTable, slotMicros } from '../src/writer/schema/schema.ts';
import { insertEntries, type StoredEntry, startTestStore, type TestStore } from './clickhouse.ts';

const startMicros = Date.UTC(2026, 2, 1) * 1000;
export const stepMicros = 7_000_000; // borders of slots fall between entries, and on them
const entriesEach = 700;

export const signal = new AbortController().signal;

export const at = (slots: number) => startMicros + slots * slotMicros;

export function parse(text: string): LogFilter['condition'] {
  return parseQuery(text) ?? everything;
}

export const everyEntry: LogFilter = {
  project: 'one',
  datasets: null,
  condition: everything,
  fromMicros: null,
  toMicros: null,
};

let made = 0; // the engine takes an equal insert for a repeated one

export function makeEntry(index: number, dataset: string): StoredEntry {
  const timestampMicros = startMicros + index * stepMicros;
  const traceId = composeTraceId(timestampMicros, `8${(++made).toString(16).padStart(15, '0')}`);
  const level = logLevels[index % logLevels.length] ?? 'info';
  const resource = index % 5 === 0 ? '' : `Server ${index % 3}`;
  const about = { parentId: '', dataset, level, resource, body: `entry ${index}`, metadata: {} };
  return { project: 'one', entry: { traceId, timestampMicros, ...about } };
}

export class SlotStore implements AsyncDisposable {
  readonly store: TestStore;
  readonly #runner: Runner;
  stored: StoredEntry['entry'][] = [];
  /** Runs before a statement is sent. */
  intervene: () => Promise<void> = async () => {};
  #statements = 0;

  private constructor(store: TestStore) {
    this.store = store;
    const waitForWholeBatches = async () => {
      this.#statements++;
      await this.intervene();
    };
    this.#runner = createRunner({
      access: store.shards[0],
      memoryBytesMax: 400_000_000,
      waitForWholeBatches,
    });
  }

  static async open(): Promise<SlotStore> {
    return new SlotStore(await startTestStore());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store[Symbol.asyncDispose]();
  }

  openCounts(access = this.store.shards[0]): SlotCounts {
    return new SlotCounts(this.#runner, access);
  }

  async insert(dataset: string, count = entriesEach): Promise<void> {
    const entries = Array.from({ length: count }, (_, index) => makeEntry(index, dataset));
    await insertEntries(this.store, entries);
    this.stored.push(...entries.map(({ entry }) => entry));
  }

  run(sql: string): Promise<void> {
    return runCommand(this.store.shards[0], sql);
  }

  merge(): Promise<void> {
    return this.run(`OPTIMIZE TABLE ${localTable} FINAL`);
  }

  async remove(condition: string, isGone: (entry: StoredEntry['entry']) => boolean): Promise<void> {
    await this.run(`DELETE FROM ${localTable} WHERE ${condition}`);
    this.stored = this.stored.filter(entry => !isGone(entry));
  }

  /** Leaves one merged part. The engine does not merge an emptied part with others. */
  async beginAnew(): Promise<void> {
    await this.run(`TRUNCATE TABLE ${localTable}`);
    this.stored = [];
    await this.insert('game');
    await this.insert('other');
    await this.merge();
  }

  countByHand(filter: LogFilter, field: KeptField): Map<string, number> {
    const isMatch = compileCondition(filter.condition);
    const counts = new Map<string, number>();
    for (const entry of this.stored) {
      const isWithin =
        entry.timestampMicros >= (filter.fromMicros ?? 0) &&
        entry.timestampMicros <= (filter.toMicros ?? Number.POSITIVE_INFINITY);
      const isOfDataset = filter.datasets?.includes(entry.dataset) ?? true;
      if (isWithin && isOfDataset && isMatch(new MatchableEntry({ ...entry, pattern: '' })))
        counts.set(entry[field], (counts.get(entry[field]) ?? 0) + 1);
    }
    return counts;
  }

  async countStatements(work: () => Promise<unknown>): Promise<number> {
    const before = this.#statements;
    await work();
    return this.#statements - before;
  }
}
