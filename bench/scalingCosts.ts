/** Measures one segment and one file with a remote database and bucket, for docs/scaling.md. */
import { randomBytes } from 'node:crypto';
import { openMetadataStore } from '@tapedeck/metadata-store';
import { sampleProject } from '@tapedeck/metadata-store/testing/samples';
import pg from 'pg';
import { startPostgres } from '../scripts/engines/postgres.ts';
import { startSharedStores } from '../server/tests/logs/sharedJournal.ts';
import { type Bench, printTable } from './bench.ts';
import { composeFixture } from './filesFixture.ts';
import { makeRequests } from './logEntries.ts';
import { runLoadProcess, startBenchService } from './processes.ts';

const times = 300;
const files = 200_000;
const segmentSizes = [64 * 1024, 1024 * 1024, 8 * 1024 * 1024] as const;
const shareOf = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

export const scalingCosts: Bench = {
  name: 'scaling-costs',
  about: 'what a segment of log entries and a file cost in bucket and database',
  run: async () => {
    printTable(
      ['what', 'median', 'slowest of a hundred'],
      [
        ...(await measureObjects()),
        ...(await measureRows()),
        ...(await measureSegments()),
        ...(await measureFiles()),
      ],
    );
  },
};

async function measureObjects(): Promise<string[][]> {
  await using stores = await startSharedStores(1);
  const rows: string[][] = [];
  for (const size of segmentSizes) {
    const bytes = randomBytes(size);
    let number = 0;
    const put = () => stores.objects.put(`bench-${size}-${number++}`, bytes);
    rows.push([`an object of ${size / 1024} KiB put, ms`, ...(await repeat(put, times))]);
  }
  return rows;
}

/** Measures rows while commits wait for the disk. */
async function measureRows(): Promise<string[][]> {
  await using postgres = await startPostgres({ isDurable: true });
  await using store = await openMetadataStore({ kind: 'postgres', url: postgres.urlOf('postgres') });
  const until = (await store.logSegments.readClock()) + 3_600_000;
  let number = 0;
  const register = async () => {
    const segment = { name: `s${number++}`, shard: 'one', rows: 100, bytes: 20_000, isSpread: false };
    await store.logSegments.register(segment, { until, keys: [] });
  };
  return [['a segment registered, ms', ...(await repeat(register, times))]];
}

/** Measures segments by the sizes in the registry. */
async function measureSegments(): Promise<string[][]> {
  await using stores = await startSharedStores(1);
  await using service = await startBenchService(stores.settings(), null);
  const requests = makeRequests(100, stores.token);
  await runLoadProcess({ port: service.port, connections: 32, seconds: 5, requests }, null);
  const [row] = await ask(
    stores.postgres.urlOf('postgres'),
    `select sum(bytes)::float8 / sum(entries) as each, sum(entries)::float8 / count(*) as entries from log_segments`,
  );
  return [
    ['bytes of a segment, an entry', Number(row?.each).toFixed(0), ''],
    ['entries of a segment then', Number(row?.entries).toFixed(0), ''],
  ];
}

async function measureFiles(): Promise<string[][]> {
  await using postgres = await startPostgres();
  const url = postgres.urlOf('postgres');
  {
    await using store = await openMetadataStore({ kind: 'postgres', url });
    await store.manage(({ projects }) => projects.insert(sampleProject()));
  }
  await ask(url, ...composeFixture(files));
  const [row] = await ask(
    url,
    `select sum(pg_total_relation_size(name::regclass))::float8 as bytes
       from unnest(array['files', 'file_folders', 'file_metadata', 'file_counts']) as name`,
  );
  return [['bytes of a file in PostgreSQL', (Number(row?.bytes) / files).toFixed(0), '']];
}

async function repeat(work: () => Promise<void>, count: number): Promise<[string, string]> {
  const taken: number[] = [];
  for (let round = 0; round < count; round++) {
    const startedAt = performance.now();
    await work();
    taken.push(performance.now() - startedAt);
  }
  const sorted = taken.toSorted((one, other) => one - other);
  return [shareOf(sorted, 0.5).toFixed(1), shareOf(sorted, 0.99).toFixed(1)];
}

async function ask(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let rows: Record<string, unknown>[] = [];
  for (const statement of statements) rows = (await client.query<Record<string, unknown>>(statement)).rows;
  await client.end();
  return rows;
}
