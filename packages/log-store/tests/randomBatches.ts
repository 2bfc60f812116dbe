/** Inserts batches of random entries, for suites that compare queries with a count by hand. */
import { localTable } from '../src/writer/schema/schema.ts';
import { insertEntries, runOnShards, type TestStore } from './clickhouse.ts';
import { makeEntries, type Random, type WholeEntry } from './randomEntries.ts';

const batches = 3;
const entriesPerBatch = 2_000;

/**
 * Returns all entries. Merges the parts of the first two batches, with their indexes and counts, and leaves those of the last batch as they were
 * inserted.
 */
export async function insertRandomBatches(
  store: TestStore,
  random: Random,
  change: (entry: WholeEntry) => WholeEntry = entry => entry,
): Promise<WholeEntry[]> {
  const stored: WholeEntry[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const entries = makeEntries(random, entriesPerBatch).map(change);
    await insertEntries(store, entries);
    stored.push(...entries);
    if (batch === batches - 2) await runOnShards(store, `OPTIMIZE TABLE ${localTable} FINAL`);
  }
  return stored;
}
