/** The metadata store on a real PostgreSQL, and what only a server can do to it. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Failure } from '@tapedeck/failures';
import { startPostgres } from '../../../../scripts/engines/postgres.ts';
import { buildPostgresAdapter, executeOn } from './conformance/postgresAdapter.ts';
import { insertDefaultProject, sampleProject } from './conformance/samples.ts';
import { fillStore, passThroughJson, readAllRows, withoutMigrations } from './conformance/snapshotCases.ts';
import { sqliteAdapter } from './conformance/sqliteAdapter.ts';
import { testConformance, testProcesses } from './conformance.ts';
import { openMetadataStore } from './store.ts';

const server = await startPostgres();
after(() => server[Symbol.asyncDispose]());
const adapter = buildPostgresAdapter(server);

testConformance(adapter);
testProcesses(adapter);

describe('PostgreSQL and SQLite', () => {
  it('rows go from either to the other and back, the same to the last one', async () => {
    for (const [first, second] of [
      [sqliteAdapter, adapter],
      [adapter, sqliteAdapter],
    ] as const) {
      await using source = await first.createEmpty();
      await using target = await second.createEmpty();
      await using store = await openMetadataStore(source.config);
      await fillStore(store);
      const rows = await readAllRows(store);
      await using copy = await openMetadataStore(target.config);
      await copy.importRows(passThroughJson(rows));
      assert.deepEqual(withoutMigrations(await readAllRows(copy)), withoutMigrations(rows));
    }
  });
});

describe('PostgreSQL: the server', () => {
  const openings = [
    {
      title: 'a wrong password',
      url: () => server.urlOf('postgres').replace(':throwaway@', ':mistaken@'),
      says: /127\.0\.0\.1:\d+ refuses the password of tapedeck/,
    },
    {
      title: 'a database that does not exist',
      url: () => server.urlOf('absent'),
      says: /has no database absent/,
    },
    {
      title: 'a port where nothing listens',
      url: () => 'postgres://a:mistaken@127.0.0.1:1/x',
      says: /127\.0\.0\.1:1 does not answer \(ECONNREFUSED\)/,
    },
    {
      title: 'a host that does not exist',
      url: () => 'postgres://a:mistaken@nowhere.invalid/x',
      says: /nowhere\.invalid:5432 does not answer/,
    },
    {
      title: 'an address that is none',
      url: () => 'postgres://a:mistaken@[x',
      says: /is no address of PostgreSQL/,
    },
  ];
  for (const { title, url, says } of openings) {
    it(`${title} is one sentence that names the server and never the password`, async () => {
      const error = await openMetadataStore({ kind: 'postgres', url: url() }).then(
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

  it('a database whose text is not UTF-8 is refused in words', async () => {
    await executeOn(server.urlOf('postgres'), `create database latin encoding 'LATIN1' template template0`);
    const config = { kind: 'postgres', url: server.urlOf('latin') } as const;
    await assert.rejects(openMetadataStore(config), { code: 'unavailable', message: /encoding UTF8/ });
  });

  it('transactions that block each other are run again until each is through', async () => {
    await using database = await adapter.createEmpty();
    await using store = await openMetadataStore(database.config);
    const insert = (name: string) =>
      store.write(records => records.leases.acquire({ name, holder: 'x', expiresAt: 1 }, 0));
    await insert('a');
    await insert('b');
    let runs = 0;
    const bothHold = Promise.withResolvers<void>();
    const renew = (first: string, second: string) =>
      store.write(async ({ leases }) => {
        runs += 1;
        await leases.acquire({ name: first, holder: 'x', expiresAt: 2 }, 0);
        if (runs === 2) bothHold.resolve();
        await bothHold.promise;
        await leases.acquire({ name: second, holder: 'x', expiresAt: 2 }, 0);
      });
    await Promise.all([renew('a', 'b'), renew('b', 'a')]);
    assert.equal(runs, 3);
  });

  it('a table that a newer version changes meanwhile is read and written on, by statements parsed anew', async () => {
    await using database = await adapter.createEmpty();
    await using store = await openMetadataStore(database.config);
    await insertDefaultProject(store);
    for (const column of ['one', 'two']) {
      assert.deepEqual(await store.read.projects.find('default'), sampleProject());
      const { url } = database.config as { url: string }; // the adapter of PostgreSQL makes these
      await executeOn(url, `alter table projects add column ${column} bigint not null default 7`);
      assert.deepEqual(await store.read.projects.find('default'), sampleProject());
      const found = await store.write(records => records.projects.find('default'));
      assert.deepEqual(found, sampleProject());
    }
  });

  it('a server that goes away is `unavailable`; when it is back, everything acknowledged is there and work goes on', async () => {
    await using database = await adapter.createEmpty();
    await using store = await openMetadataStore(database.config);
    await insertDefaultProject(store);
    const acknowledged: string[] = [];
    const failures: unknown[] = [];
    let crashed = Promise.resolve();
    const writeUntilFailure = async (chain: number) => {
      for (let index = 0; failures.length <= chain; index += 1) {
        const slug = `p${chain}-${index}`;
        try {
          await store.manage(records => records.projects.insert(sampleProject({ slug })));
          acknowledged.push(slug);
          if (acknowledged.length === 100) crashed = server.crash();
        } catch (error) {
          failures.push(error);
          return;
        }
      }
    };
    await Promise.all([0, 1, 2, 3].map(writeUntilFailure));
    await crashed; // until then a connection may still be answered
    const refuse = (asked: Promise<unknown>) => asked.then(() => 'answered', describeFailure);
    const refusals = [await refuse(store.ping()), await refuse(store.readAccessChanges(0))];
    await server.restart(); // before anything fails: what disposes of the database needs it
    assert.deepEqual(refusals, ['unavailable, again in 1 s', 'unavailable, again in 1 s']);
    for (const failure of failures) assert.match(describeFailure(failure), /^unavailable/);
    await store.ping();
    const slugs = new Set((await store.read.projects.list()).map(project => project.slug));
    assert.deepEqual(
      acknowledged.filter(slug => !slugs.has(slug)),
      [],
    );
    await store.manage(records => records.projects.insert(sampleProject({ slug: 'after' })));
  });
});

function describeFailure(error: unknown): string {
  if (!(error instanceof Failure)) return String(error);
  return `${error.code}, again in ${error.retryAfterSeconds} s`;
}
