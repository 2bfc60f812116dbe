/** Several processes on one database, and processes that end without warning. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { MigrationPoint } from '@tapedeck/metadata-database';
import { sql } from 'kysely';
import type { ConformanceCase } from '../conformance.ts';
import { schemaVersion } from '../layout.ts';
import { migrateMetadata, openMetadataDatabase, openMetadataStore } from '../store.ts';
import type { ChildTask } from './child.ts';
import { sampleProject } from './samples.ts';
import { readAllRows } from './snapshotCases.ts';

const childFile = fileURLToPath(new URL(`./child${extname(import.meta.url)}`, import.meta.url));

type ChildEnd = { lines: string[]; code: number | null; signal: NodeJS.Signals | null };

/** Runs a child to its end, or to the given number of lines and then ends it at once. */
async function runChild(task: ChildTask, linesMax = Number.POSITIVE_INFINITY): Promise<ChildEnd> {
  const child = spawn(process.execPath, [childFile, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length >= linesMax) child.kill('SIGKILL');
  }
  await ended;
  return { lines, code: child.exitCode, signal: child.signalCode };
}

const migrationPoints: readonly MigrationPoint[] = [
  'before 1',
  ...Array.from(
    { length: schemaVersion },
    (_, index) => [`inside ${index + 1}` as const, `after ${index + 1}` as const] as const,
  ).flat(),
];

const migrationCases: readonly ConformanceCase[] = [
  {
    title: 'processes that start at once on an empty database all come up, and each step is applied once',
    run: async ({ adapter }) => {
      await using database = await adapter.createEmpty();
      const task: ChildTask = { kind: 'migrate', config: database.config, endAt: null };
      const ends = await Promise.all([runChild(task), runChild(task), runChild(task)]);
      assert.deepEqual(
        ends.map(({ code }) => code),
        [0, 0, 0],
      );
      const applied = ends.map(({ lines }) => Number(lines[0]));
      assert.equal(applied[0]! + applied[1]! + applied[2]!, schemaVersion);
      assert.deepEqual(await migrateMetadata(database.config), []);
    },
  },
  {
    title:
      'a process that is killed at any point of any migration leaves a database that opens and goes on from there',
    run: async ({ adapter }) => {
      await using database = await adapter.createEmpty();
      for (const endAt of migrationPoints) {
        const { signal } = await runChild({ kind: 'migrate', config: database.config, endAt });
        assert.equal(signal, 'SIGKILL', endAt);
      }
      await using store = await openMetadataStore(database.config);
      const versions = (await readAllRows(store))
        .filter(({ table }) => table === 'migrations')
        .map(({ row }) => row.version);
      assert.deepEqual(
        versions,
        Array.from({ length: schemaVersion }, (_, index) => index + 1),
      );
      await store.manage(records => records.projects.insert(sampleProject()));
      await adapter.checkIntegrity(database.config);
    },
  },
  {
    title: 'migrating answers what was applied, and nothing the second time',
    run: async ({ adapter }) => {
      await using database = await adapter.createEmpty();
      const applied = await migrateMetadata(database.config);
      assert.equal(applied.length, schemaVersion);
      assert.deepEqual([applied[0]?.version, applied[0]?.name], [1, 'access']);
      assert.deepEqual(await migrateMetadata(database.config), []);
    },
  },
  {
    title: 'a database of a newer version is refused in words',
    run: async ({ config }) => {
      {
        await using database = await openMetadataDatabase(config);
        await database.transact(queries =>
          sql`insert into migrations (version, name, applied_at) values (999, 'future', 1)`.execute(queries),
        );
      }
      await assert.rejects(openMetadataStore(config), {
        code: 'unavailable',
        message: /newer version.*schema 999/,
      });
      await assert.rejects(migrateMetadata(config), { code: 'unavailable' });
    },
  },
];

const writeCases: readonly ConformanceCase[] = [
  {
    title: 'a process killed while it writes loses nothing that it acknowledged',
    run: async ({ store, config, adapter }) => {
      for (let round = 0; round < 3; round += 1) {
        const { lines, signal } = await runChild({ kind: 'write', config, prefix: `r${round}` }, 200 + round);
        assert.equal(signal, 'SIGKILL');
        const slugs = new Set((await store.read.projects.list()).map(project => project.slug));
        const missing = lines.filter(slug => !slugs.has(slug));
        assert.deepEqual(missing, []);
        await adapter.checkIntegrity(config);
      }
      const { revision } = await store.readAccessChanges(0);
      assert.equal(revision, (await store.read.projects.list()).length);
    },
  },
];

export const processCases = [...migrationCases, ...writeCases];
