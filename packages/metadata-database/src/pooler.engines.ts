/** Tests the database behind PgBouncer in transaction mode, which lends out a server connection for one transaction at a time. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { startPgBouncer } from '../../../scripts/engines/pgbouncer.ts';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { library } from '../samples/library.ts';
import { placeAt } from '../tests/conformance/postgresAdapter.ts';
import { fillLibrary, readAllRows } from '../tests/conformance/rowCases.ts';
import { openDatabase } from './index.ts';

await using opened = new AsyncDisposableStack();
const postgres = opened.use(await startPostgres());
const pooler = opened.use(await startPgBouncer(postgres));
const url = pooler.urlOf('postgres');
const running = opened.move();
after(() => running.disposeAsync());

test('two programs share the pooler and run many transactions at once', async () => {
  await using first = await openDatabase(placeAt(url), library);
  await using second = await openDatabase(placeAt(url), library);
  await fillLibrary(first);
  const raise = (database: typeof first) =>
    database.transact(queries =>
      queries
        .updateTable('books')
        .set(({ eb }) => ({ lines: eb('lines', '+', 1) }))
        .where('id', '=', 'book7')
        .execute(),
    );
  await Promise.all(Array.from({ length: 60 }, (_, index) => raise(index % 2 === 0 ? first : second)));
  const ofBook = second.reading.selectFrom('books').select('lines').where('id', '=', 'book7');
  assert.deepEqual(await ofBook.executeTakeFirst(), { lines: 360 });
  assert.deepEqual(await readAllRows(first), await readAllRows(second));
});

test('each transaction has its own limits and leaves none to others', async () => {
  await using database = await openDatabase(placeAt(url), library);
  const show = sql<{ value: string }>`select current_setting('statement_timeout') as value`;
  const { rows } = await database.transact(queries => show.execute(queries));
  assert.equal(rows[0]?.value, '15s');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (let turn = 0; turn < 20; turn += 1) {
    const found = await client.query<{ value: string }>(
      "select current_setting('statement_timeout') as value",
    );
    assert.equal(found.rows[0]?.value, '0');
  }
  await client.end();
});
