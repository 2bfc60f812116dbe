/** A process of its own for tests that end it without warning: migrates up to a named point, or writes without end. */
import process from 'node:process';
import { applyMigrations, type MigrationPoint } from '@tapedeck/metadata-database';
import { layout } from '../layout.ts';
import { type MetadataConfig, openMetadataDatabase, openMetadataStore } from '../store.ts';
import { sampleProject } from './samples.ts';

export type ChildTask =
  | { kind: 'migrate'; config: MetadataConfig; endAt: MigrationPoint | null }
  | { kind: 'write'; config: MetadataConfig; prefix: string };

async function runTask(task: ChildTask): Promise<void> {
  if (task.kind === 'write') return await writeWithoutEnd(task.config, task.prefix);
  await using database = await openMetadataDatabase(task.config);
  const applied = await applyMigrations(database, layout, {
    reach: point => {
      if (point === task.endAt) process.kill(process.pid, 'SIGKILL');
    },
  });
  process.stdout.write(`${applied.length}\n`);
}

/** Writes the name of each project on a line of its own once it is acknowledged; pipes are written at once. */
async function writeWithoutEnd(config: MetadataConfig, prefix: string): Promise<never> {
  await using store = await openMetadataStore(config);
  const writeChain = async (chain: number) => {
    for (let index = 0; ; index += 1) {
      const slug = `${prefix}-${chain}-${index}`;
      await store.manage(records => records.projects.insert(sampleProject({ slug })));
      process.stdout.write(`${slug}\n`);
    }
  };
  return await Promise.race(Array.from({ length: 8 }, (_, chain) => writeChain(chain)));
}

// Written by `startChild` of the process cases and by nobody else.
await runTask(JSON.parse(process.argv[2] ?? '') as ChildTask);
