/** Migrations of this service in processes that are killed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { MigrationPoint } from '@tapedeck/metadata-database';
import { layout } from '../../src/layout.ts';
import { migrateMetadata, openMetadataStore } from '../../src/store.ts';
import type { ConformanceCase } from './cases.ts';
import type { ChildTask } from './child.ts';
import { sampleProject } from './samples.ts';
import { readAllRows } from './snapshotCases.ts';
import { makeOlder } from './upgradeCases.ts';

const childFile = fileURLToPath(new URL('./child.ts', import.meta.url));

/** Runs a child process and returns the signal that ended it. */
async function runChild(task: ChildTask): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [childFile, JSON.stringify(task)], { stdio: 'inherit' });
  await once(child, 'exit');
  return child.signalCode;
}

const lastVersion = layout.migrations.at(-1)?.version ?? layout.oldestVersion;

const createdPoints: readonly MigrationPoint[] = [
  `before ${lastVersion}`,
  `inside ${lastVersion}`,
  `after ${lastVersion}`,
];

/** Each process but the first finishes its predecessor's step, and dies in the next. */
const upgradedPoints: readonly MigrationPoint[] = [
  ...layout.migrations.map(({ version }) => `inside ${version}` as const),
  `after ${lastVersion}`,
];

export const processCases: readonly ConformanceCase[] = [
  {
    title: 'a process killed at any point of any migration leaves a database that opens and continues',
    run: async ({ adapter }) => {
      for (const [isNew, points] of [
        [true, createdPoints],
        [false, upgradedPoints],
      ] as const) {
        await using database = await adapter.createEmpty();
        if (!isNew) await makeOlder(database.config, 10);
        for (const endAt of points) {
          const signal = await runChild({ config: database.config, endAt });
          assert.equal(signal, 'SIGKILL', endAt);
        }
        await using store = await openMetadataStore(database.config);
        const applied = (await readAllRows(store)).filter(({ table }) => table === 'migrations');
        assert.deepEqual(
          applied.map(({ row }) => row.version),
          Array.from(
            { length: isNew ? lastVersion - layout.oldestVersion + 1 : lastVersion },
            (_, index) => index + (isNew ? layout.oldestVersion : 1),
          ),
        );
        await store.manage(records => records.projects.insert(sampleProject({ slug: 'after' })));
        await adapter.checkIntegrity(database.config);
      }
    },
  },
  {
    title: 'migrating returns the applied versions, and none the second time',
    run: async ({ adapter }) => {
      await using database = await adapter.createEmpty();
      const applied = await migrateMetadata(database.config);
      assert.deepEqual(
        applied.map(({ version, name }) => [version, name]),
        [[lastVersion, 'all tables']],
      );
      assert.deepEqual(await migrateMetadata(database.config), []);
    },
  },
];
