/** A child process that tests kill without warning. It migrates up to a named point, or writes endlessly. */
import process from 'node:process';
import { type Library, library } from '../../samples/library.ts';
import {
  applyMigrations,
  type DatabasePlace,
  type MigrationPoint,
  openDatabaseAsIs,
} from '../../src/index.ts';

export type ChildTask =
  | { kind: 'migrate'; place: DatabasePlace; endAt: MigrationPoint | null }
  | { kind: 'write'; place: DatabasePlace; prefix: string };

async function runTask(task: ChildTask): Promise<void> {
  await using database = await openDatabaseAsIs<Library>(task.place);
  if (task.kind === 'write') {
    // Prints each shelf on a line once it is acknowledged. Writes to pipes are synchronous.
    const writeChain = async (chain: number) => {
      for (let index = 0; ; index += 1) {
        const name = `${task.prefix}-${chain}-${index}`;
        await database.transact(async queries => {
          await queries
            .updateTable('counts')
            .set(({ eb }) => ({ count: eb('count', '+', 1) }))
            .execute();
          await queries.insertInto('shelves').values({ name, room: 'x' }).execute();
        });
        process.stdout.write(`${name}\n`);
      }
    };
    await Promise.race(Array.from({ length: 8 }, (_, chain) => writeChain(chain)));
  } else {
    const applied = await applyMigrations(database, library, {
      reach: point => {
        if (point === task.endAt) process.kill(process.pid, 'SIGKILL');
      },
    });
    process.stdout.write(`${applied.length}\n`);
  }
}

// Only `runChild` of the process cases writes this argument.
await runTask(JSON.parse(process.argv[2] ?? '') as ChildTask);
