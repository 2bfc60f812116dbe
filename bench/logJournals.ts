/**
 * Counts durably acknowledged log entries per second with remote database, bucket and ClickHouse: with the journal on the node's disk and in the
 * bucket, in turns. Checks that all are found, and how soon.
 */
import { startSharedStores } from '../server/tests/logs/sharedJournal.ts';
import { type Bench, printTable } from './bench.ts';
import type { LoadResult } from './load.ts';
import { makeRequests } from './logEntries.ts';
import { runLoadProcess, startBenchService } from './processes.ts';
import { readProcessorTimes } from './processTimes.ts';

const turns = 3;
const seconds = 10;
const trials = [
  { entries: 100, connections: 400 },
  { entries: 1, connections: 400 },
] as const;

type Trial = (typeof trials)[number] & { journal: 'disk' | 's3' };

export const logJournals: Bench = {
  name: 'log-journals',
  about:
    'log entries acknowledged a second by a journal on the disk and by one in a bucket (Swift), all on the same cores',
  run: async () => {
    const rows: string[][] = [];
    for (const trial of trials) {
      for (let turn = 0; turn < turns; turn++) {
        for (const journal of ['disk', 's3'] as const) rows.push(await measure({ ...trial, journal }));
      }
    }
    const head = [
      'journal',
      'entries a request',
      'entries/s',
      'p50 ms',
      'p99 ms',
      'all found after ms',
      'service µs/entry',
    ];
    printTable(head, rows);
  },
};

async function measure({ entries, connections, journal }: Trial): Promise<string[]> {
  await using stores = await startSharedStores(1);
  const settings = { ...stores.settings(), TAPEDECK_JOURNAL: journal };
  await using service = await startBenchService(settings, null);
  const requests = makeRequests(entries, stores.token);
  const before = await readProcessorTimes(service.pid);
  const result = await runLoadProcess({ port: service.port, connections, seconds, requests }, null);
  const endedAt = performance.now();
  const taken = countTaken(result) * entries;
  const foundMs = await waitForAll({ port: service.port, token: stores.token }, taken, endedAt);
  const after = await readProcessorTimes(service.pid);
  return [
    journal,
    String(entries),
    (result.requestsPerSecond * entries).toFixed(0),
    result.p50.toFixed(0),
    result.p99.toFixed(0),
    foundMs.toFixed(0),
    ((after.service - before.service) / taken).toFixed(2),
  ];
}

function countTaken({ statuses }: LoadResult): number {
  const { '200': taken = 0, ...others } = statuses;
  if (Object.keys(others).length > 0) throw new Error(`Answers: ${JSON.stringify(statuses)}`);
  return taken;
}

/** Retries after 503. The first answer must cover all entries. */
async function waitForAll(
  { port, token }: { port: number; token: string },
  expected: number,
  sinceMs: number,
): Promise<number> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v3/logs?limit=1&includeTotal=true`, {
      headers: { authorization: token },
    });
    if (answer.status === 503) {
      await answer.arrayBuffer();
      continue;
    }
    // Per the contract.
    const { pagination } = (await answer.json()) as { pagination: { total: number } };
    if (pagination.total !== expected)
      throw new Error(`Of ${expected} acknowledged entries ${pagination.total} are found.`);
    return performance.now() - sinceMs;
  }
}
