/** The metadata store on a real PostgreSQL. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { openMetadataStore } from '../src/store.ts';
import { buildPostgresAdapter } from './conformance/postgresAdapter.ts';
import { fillStore, passThroughJson, readAllRows, withoutMigrations } from './conformance/snapshotCases.ts';
import { sqliteAdapter } from './conformance/sqliteAdapter.ts';
import { testConformance, testProcesses } from './conformance.ts';

const server = await startPostgres();
after(() => server[Symbol.asyncDispose]());
const adapter = buildPostgresAdapter(server);

testConformance(adapter);
testProcesses(adapter);

describe('PostgreSQL and SQLite', () => {
  it('rows move from each to the other and back, the same to the last one', async () => {
    for (const [first, second] of [
      [sqliteAdapter, adapter],
      [adapter, sqliteAdapter],
    ] as const) {
      await using source = await first.createMigrated();
      await using target = await second.createMigrated();
      await using store = await openMetadataStore(source.config);
      await fillStore(store);
      const rows = await readAllRows(store);
      await using copy = await openMetadataStore(target.config);
      await copy.importRows(passThroughJson(rows));
      assert.deepEqual(withoutMigrations(await readAllRows(copy)), withoutMigrations(rows));
    }
  });
});

it('errors about the server name the setting with its address', async () => {
  const openings = [
    {
      url: server.urlOf('postgres').replace(':throwaway@', ':mistaken@'),
      says: /password.*check DATABASE_URL/,
    },
    { url: 'postgres://a:b@[x', says: /^DATABASE_URL is not an address of PostgreSQL/ },
  ];
  for (const { url, says } of openings)
    await assert.rejects(openMetadataStore({ kind: 'postgres', url }), { message: says });
});
