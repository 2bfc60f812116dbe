/** The conformance suite for databases: tables of cases that run on each dialect. */
import { describe, it } from 'node:test';
import { library } from '../samples/library.ts';
import { openDatabase } from '../src/index.ts';
import { batchCases } from './conformance/batchCases.ts';
import type { Adapter, ConformanceCase } from './conformance/cases.ts';
import { migrationCases } from './conformance/migrationCases.ts';
import { mirrorCases } from './conformance/mirrorCases.ts';
import { processCases } from './conformance/processCases.ts';
import { rowCases } from './conformance/rowCases.ts';
import { transactionCases } from './conformance/transactionCases.ts';

const suites: Readonly<Record<string, readonly ConformanceCase[]>> = {
  transactions: transactionCases,
  batches: batchCases,
  migrations: migrationCases,
  'rows in and out': rowCases,
  mirrors: mirrorCases,
  'several processes': processCases,
};

export function testConformance(adapter: Adapter): void {
  for (const [suite, cases] of Object.entries(suites)) {
    // Each case has a separate database and mostly waits for it.
    describe(`${adapter.name}: ${suite}`, { concurrency: 4 }, () => {
      for (const { title, run } of cases) {
        it(title, async () => {
          await using empty = await adapter.createEmpty();
          await using database = await openDatabase(empty.place, library);
          await run({ adapter, place: empty.place, database });
        });
      }
    });
  }
}
