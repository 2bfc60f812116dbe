/** Reporting sessions: one for each identity, refreshed, extended, ended, expired. */
import assert from 'node:assert/strict';
import type { SdkIdentity, SdkSession } from '../../../domain/ports/sdkSessions.ts';
import type { ConformanceCase } from '../conformance.ts';
import { openMetadataStore } from '../store.ts';
import { insertDefaultProject } from './samples.ts';

const server: SdkIdentity = { sdkType: 'server_a', endpoint: '192.0.2.1:30120', resourceName: 'ü "x"' };
const universe: SdkIdentity = { sdkType: 'server_b', universeId: '192.0.2.1:30120', jobId: 'ü "x"' };

const sampleSdkSession = (changes: Partial<SdkSession> = {}): SdkSession => ({
  ...{ id: 'session1', project: 'default', identity: server, tokenIds: ['token'] },
  ...{ createdAt: 100, refreshedAt: 100, expiresAt: 1000 },
  ...changes,
});

export const sdkSessionCases: readonly ConformanceCase[] = [
  {
    title: 'a repeat refreshes the session and keeps its id, unless it has expired',
    run: async ({ store: { sdkSessions }, store }) => {
      await insertDefaultProject(store);
      const first = sampleSdkSession();
      assert.deepEqual(await sdkSessions.report(first), first);
      const repeat = {
        id: 'session2',
        tokenIds: ['other'],
        createdAt: 500,
        refreshedAt: 500,
        expiresAt: 1500,
      };
      const refreshed = { ...first, tokenIds: ['token', 'other'], refreshedAt: 500, expiresAt: 1500 };
      assert.deepEqual(await sdkSessions.report(sampleSdkSession(repeat)), refreshed);
      assert.deepEqual(await sdkSessions.find('session1'), refreshed);
      assert.equal(await sdkSessions.find('session2'), null);
      const late = sampleSdkSession({ id: 'session3', createdAt: 1500, refreshedAt: 1500, expiresAt: 2500 });
      assert.deepEqual(await sdkSessions.report(late), late);
      assert.equal(await sdkSessions.find('session1'), null);
    },
  },
  {
    title: 'other identities and projects have sessions of their own',
    run: async ({ store: { sdkSessions }, store }) => {
      await insertDefaultProject(store);
      await sdkSessions.report(sampleSdkSession());
      const other = sampleSdkSession({ id: 'session2', identity: universe, refreshedAt: 200 });
      assert.deepEqual(await sdkSessions.report(other), other);
      assert.deepEqual(
        (await sdkSessions.list('default', 999)).map(({ id }) => id),
        ['session2', 'session1'],
      );
      assert.deepEqual(await sdkSessions.list('default', 1000), []);
      await sdkSessions.endByIdentity('elsewhere', server);
      await sdkSessions.endByIdentity('default', server);
      assert.deepEqual(await sdkSessions.list('default', 0), [other]);
    },
  },
  {
    title: 'of many who report at once, one creates',
    run: async ({ store, config }) => {
      await insertDefaultProject(store);
      await using other = await openMetadataStore(config);
      const reported = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          (index % 2 === 0 ? store : other).sdkSessions.report(sampleSdkSession({ id: `session${index}` })),
        ),
      );
      assert.equal(new Set(reported.map(({ id }) => id)).size, 1);
    },
  },
  {
    title: 'a session is extended while it lives, ended once, and forgotten when it has expired',
    run: async ({ store: { sdkSessions }, store }) => {
      await insertDefaultProject(store);
      await sdkSessions.report(sampleSdkSession());
      assert.equal(await sdkSessions.extend('session1', { now: 900, expiresAt: 2000 }), true);
      assert.equal((await sdkSessions.find('session1'))?.expiresAt, 2000);
      assert.equal(await sdkSessions.extend('session1', { now: 2000, expiresAt: 3000 }), false);
      assert.equal(await sdkSessions.extend('unknown', { now: 0, expiresAt: 3000 }), false);
      const life = { now: 1000, expiresAt: 2000 };
      assert.equal((await sdkSessions.extendByIdentity('default', server, life))?.refreshedAt, 1000);
      assert.equal(await sdkSessions.extendByIdentity('elsewhere', server, life), null);
      assert.equal(await sdkSessions.extendByIdentity('default', universe, life), null);
      const late = { now: 2000, expiresAt: 3000 };
      assert.equal(await sdkSessions.extendByIdentity('default', server, late), null);
      await sdkSessions.removeExpired(1999);
      assert.notEqual(await sdkSessions.find('session1'), null);
      await sdkSessions.removeExpired(2001);
      assert.equal(await sdkSessions.find('session1'), null);
      await sdkSessions.report(sampleSdkSession());
      await sdkSessions.end('session1');
      assert.equal(await sdkSessions.find('session1'), null);
    },
  },
];
