/** Cases for several processes on one database, and for killed processes. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { firstLibrary, library } from '../../samples/library.ts';
import { type MigrationPoint, openDatabase } from '../../src/index.ts';
import type { ConformanceCase } from './cases.ts';
import type { ChildTask } from './child.ts';

const childFile = fileURLToPath(new URL('./child.ts', import.meta.url));

type ChildEnd = { lines: string[]; code: number | null; signal: NodeJS.Signals | null };

/** Runs a child to its end, or kills it after the given number of lines. */
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

const createdPoints: readonly MigrationPoint[] = ['before 3', 'inside 3', 'after 3'];
const upgradedPoints: readonly MigrationPoint[] = [
  'before 2',
  ...library.migrations.flatMap(({ version }) => [`inside ${version}`, `after ${version}`] as const),
];

export const processCases: readonly ConformanceCase[] = [
  {
    title: 'processes that start at once on an empty database all succeed, and one makes the tables',
    run: async ({ adapter }) => {
      await using empty = await adapter.createEmpty();
      const task: ChildTask = { kind: 'migrate', place: empty.place, endAt: null };
      const ends = await Promise.all([runChild(task), runChild(task), runChild(task)]);
      assert.deepEqual(
        ends.map(({ code }) => code),
        [0, 0, 0],
      );
      const applied = ends.reduce((sum, { lines }) => sum + Number(lines[0]), 0);
      assert.equal(applied, 1);
    },
  },
  {
    title: 'a database opens and continues after a kill at any point of any migration',
    run: async ({ adapter }) => {
      for (const [before, points] of [
        [null, createdPoints],
        [firstLibrary, upgradedPoints],
      ] as const) {
        await using empty = await adapter.createEmpty();
        if (before !== null) await (await openDatabase(empty.place, before))[Symbol.asyncDispose]();
        for (const endAt of points) {
          const { signal } = await runChild({ kind: 'migrate', place: empty.place, endAt });
          assert.equal(signal, 'SIGKILL', endAt);
        }
        await using database = await openDatabase(empty.place, library);
        await database.transact(queries => queries.updateTable('counts').set({ count: 1 }).execute());
        await adapter.checkIntegrity(empty.place);
      }
    },
  },
  {
    title: 'a process killed while writing loses nothing acknowledged and leaves nothing partial',
    run: async ({ database, place, adapter }) => {
      for (let round = 0; round < 3; round += 1) {
        const { lines, signal } = await runChild({ kind: 'write', place, prefix: `r${round}` }, 200 + round);
        assert.equal(signal, 'SIGKILL');
        const shelves = await database.reading.selectFrom('shelves').select('name').execute();
        const names = new Set(shelves.map(({ name }) => name));
        assert.deepEqual(
          lines.filter(name => !names.has(name)),
          [],
        );
        await adapter.checkIntegrity(place);
      }
      const [counts, shelves] = await database.readTogether(queries => [
        queries.selectFrom('counts').select('count'),
        queries.selectFrom('shelves').select('name'),
      ]);
      assert.deepEqual(counts, [{ count: shelves?.length }]);
    },
  },
];
