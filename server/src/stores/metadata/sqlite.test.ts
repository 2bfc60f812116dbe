/** The metadata store on SQLite, and what only files and threads can do to it. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { readFileName, sqliteAdapter } from './conformance/sqliteAdapter.ts';
import { testConformance } from './conformance.ts';
import { openMetadataDatabase, openMetadataStore } from './store.ts';

testConformance(sqliteAdapter);

describe('SQLite: opening', () => {
  const openings = [
    {
      title: 'a directory that is missing',
      file: 'missing/metadata.db',
      says: /cannot be opened: create its directory/,
    },
    { title: 'a file where the directory should be', file: 'text/metadata.db', says: /cannot be opened/ },
    { title: 'a directory where the file should be', file: '.', says: /cannot be opened/ },
    { title: 'a file that is no database', file: 'text', says: /is not a database: move it away/ },
  ];
  for (const { title, file, says } of openings) {
    it(`${title} is one sentence that names the file`, async () => {
      const directory = await mkdtemp(join(tmpdir(), 'tapedeck-metadata-'));
      try {
        await writeFile(join(directory, 'text'), 'x'.repeat(5000));
        const opening = openMetadataStore({ kind: 'sqlite', file: join(directory, file) });
        await assert.rejects(opening, { code: 'unavailable', message: says });
        await assert.rejects(opening, ({ message }: Error) => message.includes(directory));
      } finally {
        await rm(directory, { recursive: true });
      }
    });
  }

  it('a new database is readable by its owner alone, and so is its log', async () => {
    await using database = await sqliteAdapter.createEmpty();
    await using store = await openMetadataStore(database.config);
    await store.ping();
    for (const suffix of ['', '-wal', '-shm']) {
      const { mode } = await stat(readFileName(database.config) + suffix);
      assert.equal(mode & 0o777, 0o600, suffix);
    }
  });

  it('a file that another process keeps for itself is a sentence after the wait', async () => {
    await using database = await sqliteAdapter.createEmpty();
    const file = readFileName(database.config);
    using holder = new DatabaseSync(file);
    holder.exec('CREATE TABLE held (x); BEGIN EXCLUSIVE');
    await assert.rejects(openMetadataDatabase({ kind: 'sqlite', file }, { lockWaitMsMax: 100 }), {
      code: 'unavailable',
      message: /is locked/,
    });
  });
});

describe('SQLite: running', () => {
  it('waiting for another process never stops the event loop', async () => {
    await using empty = await sqliteAdapter.createEmpty();
    await using store = await openMetadataStore(empty.config);
    using holder = new DatabaseSync(readFileName(empty.config));
    holder.exec('BEGIN IMMEDIATE');
    let isDone = false;
    const writing = store
      .write(records => records.leases.acquire({ name: 'a', holder: 'x', expiresAt: 1 }, 0))
      .finally(() => {
        isDone = true;
      });
    for (let tick = 0; tick < 20; tick += 1) {
      await wait(5);
      assert.equal((await store.read.users.list()).length, 0, 'readers go on as well');
    }
    assert.equal(isDone, false);
    // Only this thread can let go: were it stopped by the wait, the wait would end in an error.
    holder.exec('ROLLBACK');
    assert.equal(await writing, true);
  });

  it('a full disk is `disk_full` for what needs room; reading and deleting go on, and so does all once there is room', async () => {
    await using empty = await sqliteAdapter.createEmpty();
    await using _store = await openMetadataStore(empty.config);
    await using database = await openMetadataDatabase(empty.config);
    const limitPages = (pages: number) =>
      database.transact(queries => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(queries));
    const book = (index: number) =>
      database.transact(queries =>
        queries
          .insertInto('leases')
          .values({ name: `l${index}`, holder: 'x'.repeat(3000), expires_at: index })
          .execute(),
      );
    await limitPages(200);
    const outcomes = await Promise.allSettled(Array.from({ length: 300 }, (_, index) => book(index)));
    const kept = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [`l${index}`] : []));
    const refused = outcomes.filter(outcome => outcome.status === 'rejected');
    assert.ok(kept.length > 0 && refused.length > 0);
    for (const { reason } of refused) assert.equal(reason.code, 'disk_full');
    const rows = await database.reading.selectFrom('leases').select('name').execute();
    assert.deepEqual(new Set(rows.map(({ name }) => name)), new Set(kept));
    await database.transact(queries =>
      queries
        .deleteFrom('leases')
        .where('name', '=', kept[0] ?? '')
        .execute(),
    );
    await limitPages(100_000);
    await book(1000);
    await sqliteAdapter.checkIntegrity(empty.config);
  });

  it('two processes share the file: the last one to leave folds the log into it', async () => {
    await using empty = await sqliteAdapter.createEmpty();
    {
      await using first = await openMetadataStore(empty.config);
      await using second = await openMetadataStore(empty.config);
      await first.write(records => records.leases.acquire({ name: 'a', holder: 'x', expiresAt: 1 }, 0));
      await second.write(records => records.leases.acquire({ name: 'b', holder: 'x', expiresAt: 1 }, 0));
    }
    using reader = new DatabaseSync(readFileName(empty.config), { readOnly: true });
    assert.equal(reader.prepare('SELECT count(*) AS count FROM leases').get()?.count, 2);
  });
});
