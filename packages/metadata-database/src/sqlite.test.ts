/** Tests the database on SQLite, including failures that only files and threads can cause. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Library, library } from '../samples/library.ts';
import { readFileName, sqliteAdapter } from '../tests/conformance/sqliteAdapter.ts';
import { testConformance } from '../tests/conformance.ts';
import { type Database, openDatabase, openDatabaseAsIs } from './index.ts';

testConformance(sqliteAdapter);

describe('SQLite: opening', () => {
  const openings = [
    {
      title: 'a missing directory',
      file: 'missing/library.db',
      says: /cannot be opened: create its directory/,
    },
    { title: 'a file where the directory should be', file: 'text/library.db', says: /cannot be opened/ },
    { title: 'a directory where the file should be', file: '.', says: /cannot be opened/ },
    { title: 'a file that is not a database', file: 'text', says: /is not a database: move it away/ },
  ];
  for (const { title, file, says } of openings) {
    it(`reports ${title} in one sentence that names the file`, async () => {
      const directory = await mkdtemp(join(tmpdir(), 'library-'));
      try {
        await writeFile(join(directory, 'text'), 'x'.repeat(5000));
        const opening = openDatabase({ kind: 'sqlite', file: join(directory, file) }, library);
        await assert.rejects(opening, { code: 'unavailable', message: says });
        await assert.rejects(opening, ({ message }: Error) => message.includes(directory));
      } finally {
        await rm(directory, { recursive: true });
      }
    });
  }

  it('only the owner can read a new database and its log', async () => {
    await using empty = await sqliteAdapter.createEmpty();
    await using _database = await openDatabase(empty.place, library);
    for (const suffix of ['', '-wal', '-shm']) {
      const { mode } = await stat(readFileName(empty.place) + suffix);
      assert.equal(mode & 0o777, 0o600, suffix);
    }
  });

  it('reports a file locked by another process after waiting', async () => {
    await using empty = await sqliteAdapter.createEmpty();
    using holder = new DatabaseSync(readFileName(empty.place));
    holder.exec('CREATE TABLE held (x); BEGIN EXCLUSIVE');
    await assert.rejects(openDatabaseAsIs(empty.place, { lockWaitMsMax: 100 }), {
      code: 'unavailable',
      message: /is locked/,
    });
  });
});

describe('SQLite: running', () => {
  const insertShelf = (database: Database<Library>, name: string, room = 'x') =>
    database.transact(queries => queries.insertInto('shelves').values({ name, room }).execute());
  const listShelves = async (database: Database<Library>) => {
    const rows = await database.reading.selectFrom('shelves').select('name').execute();
    return rows.map(({ name }) => name);
  };

  it('waiting for another process does not block the event loop', async () => {
    await using empty = await sqliteAdapter.createEmpty();
    await using database = await openDatabase(empty.place, library);
    using holder = new DatabaseSync(readFileName(empty.place));
    holder.exec('BEGIN IMMEDIATE');
    let isDone = false;
    const writing = insertShelf(database, 'a').finally(() => {
      isDone = true;
    });
    for (let tick = 0; tick < 20; tick += 1) {
      await wait(5);
      assert.deepEqual(await listShelves(database), [], 'readers go on as well');
    }
    assert.equal(isDone, false);
    // Only this thread can release the lock: if the wait blocked it, the wait would end in an error.
    holder.exec('ROLLBACK');
    await writing;
    assert.deepEqual(await listShelves(database), ['a']);
  });

  it('reports `disk_full` only for writes that need room, and recovers once there is room', async () => {
    await using empty = await sqliteAdapter.createEmpty();
    await using database = await openDatabase(empty.place, library);
    const limitPages = (pages: number) =>
      database.transact(queries => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(queries));
    await limitPages(200);
    const names = Array.from({ length: 300 }, (_, index) => `s${index}`);
    const outcomes = await Promise.allSettled(
      names.map(name => insertShelf(database, name, 'x'.repeat(3000))),
    );
    const kept = names.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    const refused = outcomes.filter(outcome => outcome.status === 'rejected');
    assert.ok(kept.length > 0 && refused.length > 0);
    for (const { reason } of refused) assert.equal(reason.code, 'disk_full');
    assert.deepEqual(new Set(await listShelves(database)), new Set(kept));
    await database.transact(queries => queries.deleteFrom('shelves').where('name', '=', kept[0]!).execute());
    await limitPages(100_000);
    await insertShelf(database, 'more', 'x'.repeat(3000));
    await sqliteAdapter.checkIntegrity(empty.place);
  });

  it('two processes share the file, and the last one to close folds the log into it', async () => {
    await using empty = await sqliteAdapter.createEmpty();
    {
      await using first = await openDatabase(empty.place, library);
      await using second = await openDatabase(empty.place, library);
      await insertShelf(first, 'a');
      await insertShelf(second, 'b');
    }
    using reader = new DatabaseSync(readFileName(empty.place), { readOnly: true });
    assert.equal(reader.prepare('SELECT count(*) AS count FROM shelves').get()?.count, 2);
  });
});
