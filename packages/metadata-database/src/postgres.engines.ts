/** Tests the database on a real PostgreSQL, including failures that only a server can cause. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Failure } from '@tapedeck/values/failure';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { type Library, library } from '../samples/library.ts';
import { buildPostgresAdapter, placeAt, readUrl } from '../tests/conformance/postgresAdapter.ts';
import {
  fillLibrary,
  passThroughJson,
  readAllRows,
  withoutMigrations,
} from '../tests/conformance/rowCases.ts';
import { sqliteAdapter } from '../tests/conformance/sqliteAdapter.ts';
import { executeOn } from '../tests/conformance/throwawayDatabases.ts';
import { testConformance } from '../tests/conformance.ts';
import { type Database, importRows, openDatabase } from './index.ts';

const server = await startPostgres();
after(() => server[Symbol.asyncDispose]());
const adapter = buildPostgresAdapter(server);

testConformance(adapter);

describe('PostgreSQL and SQLite', () => {
  it('rows move in either direction without a change', async () => {
    for (const [first, second] of [
      [sqliteAdapter, adapter],
      [adapter, sqliteAdapter],
    ] as const) {
      await using source = await first.createEmpty();
      await using target = await second.createEmpty();
      await using database = await openDatabase(source.place, library);
      await fillLibrary(database);
      const rows = await readAllRows(database);
      await using copy = await openDatabase(target.place, library);
      await importRows(copy, library, passThroughJson(rows));
      assert.deepEqual(withoutMigrations(await readAllRows(copy)), withoutMigrations(rows));
    }
  });
});

describe('PostgreSQL: opening', () => {
  const openings = [
    {
      title: 'a wrong password',
      url: () => server.urlOf('postgres').replace(':throwaway@', ':mistaken@'),
      says: /127\.0\.0\.1:\d+ refuses the password of tapedeck: check LIBRARY_URL/,
    },
    {
      title: 'a database that does not exist',
      url: () => server.urlOf('absent'),
      says: /has no database absent/,
    },
    {
      title: 'a port where nothing listens',
      url: () => 'postgres://a:mistaken@127.0.0.1:1/x',
      says: /127\.0\.0\.1:1 does not answer \(ECONNREFUSED\): start it, or check LIBRARY_URL/,
    },
    {
      title: 'a host that does not exist',
      url: () => 'postgres://a:mistaken@nowhere.invalid/x',
      says: /nowhere\.invalid:5432 does not answer/,
    },
    {
      title: 'an invalid address',
      url: () => 'postgres://a:mistaken@[x',
      says: /^LIBRARY_URL is not an address of PostgreSQL/,
    },
  ];
  for (const { title, url, says } of openings) {
    it(`reports ${title} in one sentence that names the server and never the password`, async () => {
      const error = await openDatabase(placeAt(url()), library).then(
        () => assert.fail('opened'),
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof Error);
      assert.match(error.message, says);
      assert.doesNotMatch(
        JSON.stringify([error.message, error.stack, String(error.cause)]),
        /mistaken|throwaway/,
      );
    });
  }

  it('rejects a database whose encoding is not UTF-8', async () => {
    await executeOn(server.urlOf('postgres'), `create database latin encoding 'LATIN1' template template0`);
    const opening = openDatabase(placeAt(server.urlOf('latin')), library);
    await assert.rejects(opening, { code: 'unavailable', message: /encoding UTF8/ });
  });
});

describe('PostgreSQL: running', () => {
  const insertShelf = (database: Database<Library>, name: string) =>
    database.transact(queries => queries.insertInto('shelves').values({ name, room: 'x' }).execute());

  it('retries transactions that block each other until each succeeds', async () => {
    await using empty = await adapter.createEmpty();
    await using database = await openDatabase(empty.place, library);
    for (const name of ['a', 'b']) await insertShelf(database, name);
    let runs = 0;
    const bothHold = Promise.withResolvers<void>();
    const change = (first: string, second: string) =>
      database.transact(async queries => {
        runs += 1;
        const move = queries.updateTable('shelves').set({ room: 'y' });
        await move.where('name', '=', first).execute();
        if (runs === 2) bothHold.resolve();
        await bothHold.promise;
        await move.where('name', '=', second).execute();
      });
    await Promise.all([change('a', 'b'), change('b', 'a')]);
    assert.equal(runs, 3);
  });

  it('reads and writes a table that a newer version alters meanwhile', async () => {
    await using empty = await adapter.createEmpty();
    await using database = await openDatabase(empty.place, library);
    await insertShelf(database, 'a');
    const find = ({ reading }: Pick<Database<Library>, 'reading'>) =>
      reading.selectFrom('shelves').selectAll().where('name', '=', 'a').executeTakeFirst();
    assert.deepEqual(await find(database), { name: 'a', room: 'x' });
    let expected: object = { name: 'a', room: 'x' };
    for (const column of ['one', 'two']) {
      await executeOn(readUrl(empty.place), `alter table shelves add column ${column} bigint default 7`);
      expected = { ...expected, [column]: 7 };
      assert.deepEqual(await find(database), expected);
      assert.deepEqual(await database.transact(queries => find({ reading: queries })), expected);
    }
  });

  it('reads from a read-only server, and writes on new connections once it is writable again', async () => {
    await using empty = await adapter.createEmpty();
    await using database = await openDatabase(empty.place, library);
    await insertShelf(database, 'a');
    await database.requireChanges();
    const url = readUrl(empty.place);
    const name = new URL(url).pathname.slice(1);
    await executeOn(url, `alter database ${name} set default_transaction_read_only = on`);
    await executeOn(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid != pg_backend_pid()`,
    );
    const refusal = { code: 'unavailable', message: /accepts no changes/ };
    const change = () => insertShelf(database, 'b');
    // Connections learn in their own time that the server ended them; a query may meet one before that.
    await assert.rejects(() => retryEnded(() => database.requireChanges()), refusal);
    await assert.rejects(() => retryEnded(change), refusal);
    assert.equal((await database.reading.selectFrom('shelves').selectAll().execute()).length, 1);
    await executeOn(
      server.urlOf('postgres'),
      `alter database ${name} set default_transaction_read_only = off`,
    );
    // The first query on each old connection finds it broken and closes it.
    const refused: unknown[] = [];
    const isTaken = () =>
      change().then(
        () => true,
        error => !refused.push(error),
      );
    while (!(await isTaken())) assert.ok(refused.length <= 6, String(refused.at(-1)));
  });

  it('reports a lost server as `unavailable`, and loses nothing acknowledged when it returns', async () => {
    await using empty = await adapter.createEmpty();
    await using database = await openDatabase(empty.place, library);
    const acknowledged: string[] = [];
    const failures: unknown[] = [];
    let crashed = Promise.resolve();
    const writeUntilFailure = async (chain: number) => {
      for (let index = 0; failures.length <= chain; index += 1) {
        const name = `s${chain}-${index}`;
        try {
          await insertShelf(database, name);
          acknowledged.push(name);
          if (acknowledged.length === 100) crashed = server.crash();
        } catch (error) {
          failures.push(error);
          return;
        }
      }
    };
    await Promise.all([0, 1, 2, 3].map(writeUntilFailure));
    await crashed; // until then, a connection may still get an answer
    const list = () => database.reading.selectFrom('shelves').select('name').execute();
    const refuse = (query: Promise<unknown>) => query.then(() => 'answered', describeFailure);
    const listTogether = () => database.readTogether(queries => [queries.selectFrom('shelves').selectAll()]);
    const refusals = [await refuse(list()), await refuse(listTogether())];
    await server.restart(); // before any assertion can fail, because disposing of the database needs the server
    assert.deepEqual(refusals, ['unavailable, again in 1 s', 'unavailable, again in 1 s']);
    for (const failure of failures) assert.match(describeFailure(failure), /^unavailable/);
    const names = new Set((await list()).map(({ name }) => name));
    assert.deepEqual(
      acknowledged.filter(name => !names.has(name)),
      [],
    );
    await insertShelf(database, 'after');
  });
});

function describeFailure(error: unknown): string {
  if (!(error instanceof Failure)) return String(error);
  return `${error.code}, again in ${error.retryAfterSeconds} s`;
}

/** Repeats an action that met a connection which the server had ended, once for each connection. */
async function retryEnded<Result>(act: () => Promise<Result>, left = 6): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (left === 0 || !/is restarting|does not answer/.test(String(error))) throw error;
    return await retryEnded(act, left - 1);
  }
}
