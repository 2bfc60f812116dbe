/** A separate process that tests kill: migrates up to a named point. */
import { flushCompileCache } from 'node:module';
import process from 'node:process';
import { applyMigrations, type MigrationPoint } from '@tapedeck/metadata-database';
import { layout } from '../../src/layout.ts';
import { type MetadataConfig, openMetadataDatabase } from '../../src/store.ts';

export type ChildTask = { config: MetadataConfig; endAt: MigrationPoint };

async function runTask({ config, endAt }: ChildTask): Promise<void> {
  flushCompileCache(); // none of these fifty processes ends normally, which would write the cache
  await using database = await openMetadataDatabase(config);
  await applyMigrations(database, layout, {
    reach: point => {
      if (point === endAt) process.kill(process.pid, 'SIGKILL');
    },
  });
}

// Only `runChild` of the process cases writes this.
await runTask(JSON.parse(process.argv[2] ?? '') as ChildTask);
