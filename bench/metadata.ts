/** Measures reads and commits of metadata on each database, and the event loop's delay meanwhile. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { noLibrary } from '@tapedeck/domain/files/librarySettings';
import { noSubjects } from '@tapedeck/domain/subjects/kinds';
import { applyMigrations } from '@tapedeck/metadata-database';
import { buildMetadataStore, openMetadataDatabase } from '@tapedeck/metadata-store';
import { layout } from '@tapedeck/metadata-store/layout';
import type { MetadataDatabase } from '@tapedeck/metadata-store/schema';
import { hasPostgres, startPostgres } from '../scripts/engines/postgres.ts';
import { type Bench, printTable } from './bench.ts';

const secondsPerRow = 2;
const tokens = 1000;

export const metadata: Bench = {
  name: 'metadata',
  about: 'reads and commits of the metadata store, against the same SQLite on the main thread',
  run: async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'tapedeck-bench-'));
    const rows: string[][] = [];
    try {
      const file = path.join(directory, 'metadata.db');
      {
        await using database = await openMetadataDatabase({ kind: 'sqlite', file });
        await measureDatabase('SQLite in threads', database, rows);
      }
      await measureMainThread(file, rows);
      if (hasPostgres()) {
        await using server = await startPostgres({ isDurable: true });
        await using database = await openMetadataDatabase({
          kind: 'postgres',
          url: server.urlOf('postgres'),
        });
        await measureDatabase('PostgreSQL', database, rows);
      }
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
    printTable(
      ['store', 'work', 'at once', 'per second', 'p50 µs', 'p99 µs', 'CPU µs', 'loop p99 ms', 'loop max ms'],
      rows,
    );
  },
};

async function measureDatabase(name: string, database: MetadataDatabase, rows: string[][]): Promise<void> {
  await applyMigrations(database, layout);
  const store = buildMetadataStore(database);
  await fillTokens(store);
  const works: Record<string, (index: number) => Promise<unknown>> = {
    'point read': index => store.read.tokens.find(`id${index % tokens}`),
    'changes since a revision': () => store.readAccessChanges(1_000_000),
    'write, one query': index =>
      store.write(({ signIns }) =>
        signIns.putFailures({ key: `k${index % 500}`, failures: 1, lastFailedAt: index }),
      ),
    'write, three queries': index =>
      store.write(async ({ signIns, leases }) => {
        await signIns.findFailures(`k${index % 500}`);
        await signIns.putFailures({ key: `k${index % 500}`, failures: 1, lastFailedAt: index });
        await leases.acquire(
          { name: `l${index % 500}`, holder: 'bench', expiresAt: index },
          { now: index, heldUntilMax: index },
        );
      }),
    'batch of three queries': index =>
      database.transactBatch(queries => [
        {
          query: queries
            .updateTable('leases')
            .set({ expires_at: index })
            .where('name', '=', `l${index % 500}`),
        },
        {
          query: queries
            .updateTable('tokens')
            .set({ last_used_at: index })
            .where('id', '=', `id${index % tokens}`),
        },
        {
          query: queries
            .insertInto('sign_in_failures')
            .values({ key: `b${index}`, failures: 1, last_failed_at: index })
            .onConflict(conflict => conflict.column('key').doUpdateSet({ last_failed_at: index })),
        },
      ]),
  };
  for (const [work, run] of Object.entries(works)) {
    for (const concurrency of [1, 64]) rows.push([name, work, ...(await measure(concurrency, run))]);
  }
}

/** The comparison for the threads: the same file and durability, with every sync on the main thread. */
async function measureMainThread(file: string, rows: string[][]): Promise<void> {
  using database = new DatabaseSync(file);
  database.exec('PRAGMA synchronous = FULL');
  const read = database.prepare('SELECT * FROM tokens WHERE id = ?');
  const write = database.prepare(
    'INSERT INTO sign_in_failures VALUES (?, 1, 1) ON CONFLICT DO UPDATE SET failures = failures + 1',
  );
  const works: Record<string, (index: number) => unknown> = {
    'point read, bare': index => read.get(`id${index % tokens}`),
    'write, one query, bare': index => write.run(`k${index % 500}`),
  };
  for (const [work, run] of Object.entries(works)) {
    for (const concurrency of [1, 64]) {
      // The event loop turns between a server's requests; within a turn, work is sequential.
      const turn = async (index: number) => {
        run(index);
        await nextTurn();
      };
      rows.push(['SQLite, main thread', work, ...(await measure(concurrency, turn))]);
    }
  }
}

async function fillTokens(store: ReturnType<typeof buildMetadataStore>): Promise<void> {
  await store.manage(async records => {
    await records.projects.insert({
      slug: 'default',
      name: 'Default',
      cdnDomain: null,
      cdnEnabled: false,
      retention: { days: { image: null, video: null, audio: null }, folders: [] },
      logRetention: {},
      bytesMax: null,
      filesMax: null,
      createdAt: 1,
      deletedAt: null,
      ...noLibrary,
      ...noSubjects,
    });
    for (let index = 0; index < tokens; index += 1) {
      await records.tokens.insert({
        id: `id${index}`,
        project: 'default',
        kind: 'media',
        name: `token ${index}`,
        prefix: 'abcd',
        hash: `hash${index}`,
        scopes: ['read'],
        createdAt: index,
        createdBy: 'bench',
        expiresAt: null,
        lastUsedAt: null,
        revokedAt: null,
        makerId: null,
        makerUserId: null,
      });
    }
  });
}

async function measure(concurrency: number, run: (index: number) => Promise<unknown>): Promise<string[]> {
  for (let index = 0; index < 200; index += 1) await run(index); // warms up threads, statements and code
  const delays = monitorEventLoopDelay({ resolution: 1 });
  const latencies: number[] = [];
  let index = 1000;
  delays.enable();
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const until = startedAt + secondsPerRow * 1000;
  const runUntil = async () => {
    while (performance.now() < until) {
      const askedAt = performance.now();
      index += 1;
      await run(index);
      latencies.push(performance.now() - askedAt);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runUntil));
  const tookMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  delays.disable();
  latencies.sort((one, other) => one - other);
  const percentile = (share: number) => (latencies[Math.floor(latencies.length * share)] ?? 0) * 1000;
  const count = latencies.length;
  return [
    String(concurrency),
    ((1000 * count) / tookMs).toFixed(0),
    percentile(0.5).toFixed(0),
    percentile(0.99).toFixed(0),
    ((user + system) / count).toFixed(0),
    (delays.percentile(99) / 1e6 - 1).toFixed(1),
    (delays.max / 1e6 - 1).toFixed(1),
  ];
}
