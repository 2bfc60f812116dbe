/** Reporting sessions: one per identity; joined, extended, ended and expired; and the tokens that reported them. */
import assert from 'node:assert/strict';
import type { SdkIdentity, SdkSession } from '@tapedeck/domain/ports/sdkSessions';
import { carryReporters, derivedCredentials } from '../../src/migrations/0012_derived_credentials.ts';
import { openMetadataDatabase, openMetadataStore } from '../../src/store.ts';
import type { ConformanceCase } from './cases.ts';
import { insertDefaultProject, sampleToken } from './samples.ts';
import { passThroughJson, readAllRows } from './snapshotCases.ts';

const server: SdkIdentity = { sdkType: 'server_a', endpoint: '192.0.2.1:30120', resourceName: 'ü "x"' };
const universe: SdkIdentity = { sdkType: 'server_b', universeId: '192.0.2.1:30120', jobId: 'ü "x"' };

const sampleSdkSession = (changes: Partial<SdkSession> = {}): SdkSession => ({
  id: 'session1',
  project: 'default',
  identity: server,
  tokenIds: ['token'],
  createdAt: 100,
  refreshedAt: 100,
  expiresAt: 1000,
  ...changes,
});

/** The ids of all tokens in one text, as the previous version stored them. */
const listBefore = 'token9 token1 token5';

const lifeCases: readonly ConformanceCase[] = [
  {
    title: 'lists sessions that expired within a span, without ended or extended ones',
    run: async ({ store: { sdkSessions }, store }) => {
      await insertDefaultProject(store);
      const other = sampleSdkSession({ id: 'session2', identity: universe, expiresAt: 1200 });
      for (const session of [sampleSdkSession(), other]) await sdkSessions.open(session);
      const list = async (after: number, upTo: number) =>
        (await sdkSessions.listExpired('default', { after, upTo })).map(({ id }) => id).toSorted();
      assert.deepEqual(await list(999, 1200), ['session1', 'session2']);
      assert.deepEqual(await list(1000, 1199), []);
      assert.deepEqual(await sdkSessions.listExpired('other', { after: 0, upTo: 9999 }), []);
      await sdkSessions.extend('session1', { now: 500, expiresAt: 2000 });
      await sdkSessions.end('session2', 600);
      assert.deepEqual(await list(0, 1999), []);
    },
  },
  {
    title: 'an identity has one session, which others join, until it expires',
    run: async ({ store: { sdkSessions }, store }) => {
      await insertDefaultProject(store);
      const first = sampleSdkSession();
      assert.equal(await sdkSessions.open(first), true);
      assert.deepEqual(await sdkSessions.findLiving('default', server, 999), first);
      assert.equal(await sdkSessions.open(sampleSdkSession({ id: 'session2', refreshedAt: 500 })), false);
      assert.equal(await sdkSessions.find('session2'), null);
      assert.equal(await sdkSessions.join('session1', 'other', { now: 500, expiresAt: 1500 }), true);
      assert.equal(await sdkSessions.join('session1', 'a', { now: 500, expiresAt: 1500 }), true);
      assert.equal(await sdkSessions.join('session1', 'token', { now: 500, expiresAt: 1500 }), true);
      const joined = { ...first, tokenIds: ['token', 'other', 'a'], refreshedAt: 500, expiresAt: 1500 };
      assert.deepEqual(await sdkSessions.find('session1'), joined);
      assert.equal(await sdkSessions.join('session1', 'late', { now: 1500, expiresAt: 2500 }), false);
      assert.equal(await sdkSessions.findLiving('default', server, 1500), null);
      const late = sampleSdkSession({ id: 'session3', createdAt: 1500, refreshedAt: 1500, expiresAt: 2500 });
      assert.equal(await sdkSessions.open(late), true);
      assert.deepEqual(await sdkSessions.find('session3'), late);
      assert.equal(await sdkSessions.find('session1'), null);
    },
  },
  {
    title: 'other identities and projects have their own sessions',
    run: async ({ store: { sdkSessions }, store }) => {
      await insertDefaultProject(store);
      await sdkSessions.open(sampleSdkSession());
      const other = sampleSdkSession({ id: 'session2', identity: universe, refreshedAt: 200 });
      assert.equal(await sdkSessions.open(other), true);
      assert.deepEqual(
        (await sdkSessions.list('default', 999)).map(({ id }) => id),
        ['session2', 'session1'],
      );
      assert.deepEqual(await sdkSessions.list('default', 1000), []);
      assert.equal(await sdkSessions.findLiving('elsewhere', server, 0), null);
      assert.equal((await sdkSessions.findLiving('default', server, 0))?.id, 'session1');
      await sdkSessions.end('session1', 600);
      assert.equal(await sdkSessions.findLiving('default', server, 0), null);
      assert.deepEqual(await sdkSessions.list('default', 0), [other]);
    },
  },
  {
    title: 'one of many concurrent callers opens it',
    run: async ({ store, config }) => {
      await insertDefaultProject(store);
      await using other = await openMetadataStore(config);
      const opened = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          (index % 2 === 0 ? store : other).sdkSessions.open(sampleSdkSession({ id: `session${index}` })),
        ),
      );
      assert.equal(opened.filter(Boolean).length, 1);
      assert.equal((await store.sdkSessions.list('default', 0)).length, 1);
    },
  },
  {
    title: 'a live session can be extended, ended once, and is forgotten when it has expired',
    run: async ({ store: { sdkSessions }, store }) => {
      await insertDefaultProject(store);
      await sdkSessions.open(sampleSdkSession());
      assert.equal(await sdkSessions.extend('session1', { now: 900, expiresAt: 2000 }), true);
      assert.equal((await sdkSessions.find('session1'))?.expiresAt, 2000);
      assert.equal((await sdkSessions.find('session1'))?.refreshedAt, 900);
      assert.equal(await sdkSessions.extend('session1', { now: 2000, expiresAt: 3000 }), false);
      assert.equal(await sdkSessions.extend('unknown', { now: 0, expiresAt: 3000 }), false);
      await sdkSessions.removeExpired(1999);
      assert.notEqual(await sdkSessions.find('session1'), null);
      await sdkSessions.removeExpired(2001);
      assert.equal(await sdkSessions.find('session1'), null);
      await sdkSessions.open(sampleSdkSession());
      await sdkSessions.end('session1', 600);
      assert.equal(await sdkSessions.find('session1'), null);
    },
  },
];

const reporterCases: readonly ConformanceCase[] = [
  {
    title: 'a revocation ends the sessions that the token reported, first or later, and no others',
    run: async ({ store: { sdkSessions }, store }) => {
      await insertDefaultProject(store);
      await store.manage(({ tokens }) => tokens.insert(sampleToken({ id: 'token1' })));
      const open = (id: string, tokenId: string) =>
        sdkSessions.open(sampleSdkSession({ id, identity: { ...universe, jobId: id }, tokenIds: [tokenId] }));
      await open('first', 'token1');
      await open('joined', 'token2');
      await sdkSessions.join('joined', 'token1', { now: 500, expiresAt: 1500 });
      await open('others', 'token11');
      await store.manage(({ tokens }) => tokens.revoke(['token1'], 600));
      assert.deepEqual(
        (await sdkSessions.list('default', 0)).map(({ id }) => id),
        ['others'],
      );
    },
  },
  {
    title: 'a revocation includes the tokens that it created, directly and indirectly',
    run: async ({ store: { sdkSessions }, store }) => {
      await insertDefaultProject(store);
      const mint = (id: string, makerId: string | null) =>
        store.manage(({ tokens }) => tokens.insert(sampleToken({ id, makerId })));
      for (const [id, maker] of [
        ['a', null],
        ['b', 'a'],
        ['c', 'b'],
        ['d', 'b'],
        ['other', null],
      ] as const)
        await mint(id, maker);
      await sdkSessions.open(sampleSdkSession({ tokenIds: ['d'] }));
      await store.manage(({ tokens }) => tokens.revoke(['c'], 5));
      const revoked = await store.manage(({ tokens }) => tokens.revoke(['a'], 7));
      assert.deepEqual(revoked.toSorted(), ['a', 'b', 'd']);
      assert.equal((await store.read.tokens.find('c'))?.revokedAt, 5);
      assert.equal((await store.read.tokens.find('d'))?.revokedAt, 7);
      assert.equal((await store.read.tokens.find('d'))?.makerId, 'b');
      assert.equal((await store.read.tokens.find('other'))?.revokedAt, null);
      assert.equal(await sdkSessions.find('session1'), null);
      const { tokens } = await store.readAccessChanges(0);
      assert.deepEqual(
        tokens
          .filter(({ revokedAt }) => revokedAt !== null)
          .map(({ id }) => id)
          .toSorted(),
        ['a', 'b', 'c', 'd'],
      );
    },
  },
  {
    title: 'lists stored as text by an older version become rows in a migration',
    run: async ({ store, config }) => {
      await insertDefaultProject(store);
      const universes = Array.from({ length: 250 }, (_, index) => String(index)); // more than one read takes
      for (const jobId of universes)
        await store.sdkSessions.open(
          sampleSdkSession({ id: `session${jobId.padStart(3, '0')}`, identity: { ...universe, jobId } }),
        );
      await using database = await openMetadataDatabase(config);
      await database.transact(async queries => {
        await queries.deleteFrom('sdk_session_tokens').execute();
        await queries.updateTable('sdk_sessions').set({ token_id: listBefore }).execute();
        await carryReporters(queries);
      });
      const sessions = await store.sdkSessions.list('default', 0);
      assert.equal(sessions.length, universes.length);
      for (const { tokenIds } of sessions) assert.deepEqual(tokenIds, listBefore.split(' '));
    },
  },
  {
    title: 'lists stored as text by an older version become rows in a restore',
    run: async ({ store, adapter }) => {
      await insertDefaultProject(store);
      await store.sdkSessions.open(sampleSdkSession());
      const older = (await readAllRows(store))
        .filter(({ table, row }) => {
          if (table === 'migrations') return Number(row.version) < derivedCredentials.version;
          return table !== 'sdk_session_tokens';
        })
        .map(({ table, row }) =>
          table === 'sdk_sessions' ? { table, row: { ...row, token_id: listBefore } } : { table, row },
        );
      await using database = await adapter.createMigrated();
      await using copy = await openMetadataStore(database.config);
      await copy.importRows(passThroughJson(older));
      assert.deepEqual((await copy.sdkSessions.find('session1'))?.tokenIds, listBefore.split(' '));
    },
  },
];

export const sdkSessionCases: readonly ConformanceCase[] = [...lifeCases, ...reporterCases];
