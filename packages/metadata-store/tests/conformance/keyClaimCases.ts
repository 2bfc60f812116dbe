/** Claims on keys: of several nodes only one holds a key, until it is stored, freed or expired. */
import assert from 'node:assert/strict';
import type { HeldClaim, KeyClaim, StoredClaim } from '@tapedeck/domain/ports/keyClaims';
import { openMetadataStore } from '../../src/store.ts';
import type { ConformanceCase } from './cases.ts';

const sampleClaim = (changes: Partial<KeyClaim> = {}): KeyClaim => ({
  scopeHash: Buffer.alloc(16, 1),
  bodyHash: Buffer.alloc(16, 2),
  nodeId: 'node1',
  attemptId: 'attempt1',
  expiresAt: 1000,
  ...changes,
});
const traceId = '0123456789abcdef'.repeat(2);
const stored: StoredClaim = { bodyHash: Buffer.alloc(16, 2), traceId, expiresAt: 1500 };
const unresolved = (claim: KeyClaim): HeldClaim => ({ ...claim, traceId: null });

const mine = sampleClaim();
const retried = sampleClaim({ attemptId: 'attempt2', bodyHash: Buffer.alloc(16, 3), expiresAt: 1100 });
const theirs = sampleClaim({ nodeId: 'node2', attemptId: 'attempt3' });

/** Each begins with the first node's claim and shows the result of the next claim. */
const successions: readonly {
  title: string;
  settle?: 'complete' | 'free';
  next: KeyClaim;
  now: number;
  stands: HeldClaim;
}[] = [
  { title: 'another node’s stays', next: theirs, now: 999, stands: unresolved(mine) },
  { title: 'another node’s that expired is claimed', next: theirs, now: 1000, stands: unresolved(theirs) },
  { title: 'the same node’s is claimed', next: retried, now: 500, stands: unresolved(retried) },
  {
    title: 'another node’s that is stored stays',
    settle: 'complete',
    next: theirs,
    now: 1499,
    stands: { ...mine, ...stored },
  },
  {
    title: 'the same node’s that is stored stays',
    settle: 'complete',
    next: retried,
    now: 1499,
    stands: { ...mine, ...stored },
  },
  {
    title: 'a stored one that expired is claimed, and nothing of it remains',
    settle: 'complete',
    next: theirs,
    now: 1500,
    stands: unresolved(theirs),
  },
  {
    title: 'another node’s that was freed is claimed',
    settle: 'free',
    next: theirs,
    now: 500,
    stands: unresolved(theirs),
  },
];

const successionCases: readonly ConformanceCase[] = successions.map(
  ({ title, settle, next, now, stands }) => ({
    title: `a claimed key: ${title}`,
    run: async ({ store: { keyClaims } }) => {
      assert.deepEqual(await keyClaims.claim(mine, 0), unresolved(mine));
      if (settle === 'complete') await keyClaims.complete(mine, stored);
      if (settle === 'free') await keyClaims.free(mine);
      assert.deepEqual(await keyClaims.claim(next, now), stands);
      assert.deepEqual(await keyClaims.find(mine.scopeHash, 0), stands);
    },
  }),
);

export const keyClaimCases: readonly ConformanceCase[] = [
  ...successionCases,
  {
    title: 'an earlier attempt settles nothing, and a stored key cannot be freed',
    run: async ({ store: { keyClaims } }) => {
      await keyClaims.claim(mine, 0);
      await keyClaims.claim(retried, 0);
      await keyClaims.free(mine);
      await keyClaims.complete(mine, stored);
      assert.deepEqual(await keyClaims.find(mine.scopeHash, 0), unresolved(retried));
      await keyClaims.complete(retried, stored);
      await keyClaims.free(retried);
      assert.deepEqual(await keyClaims.find(mine.scopeHash, 0), { ...retried, ...stored });
    },
  },
  {
    title: 'a node finds the claims it left open, and no others',
    run: async ({ store: { keyClaims } }) => {
      const scoped = (byte: number, changes: Partial<KeyClaim> = {}) =>
        sampleClaim({ scopeHash: Buffer.alloc(16, byte), ...changes });
      for (const byte of [1, 2, 3]) await keyClaims.claim(scoped(byte), 0);
      await keyClaims.claim(scoped(4, { nodeId: 'node2' }), 0);
      await keyClaims.complete(scoped(2), stored);
      assert.deepEqual(await keyClaims.listUnresolved('node1'), [scoped(1), scoped(3)].map(unresolved));
      assert.deepEqual(await keyClaims.listUnresolved('node3'), []);
    },
  },
  {
    title: 'one of many concurrent claims at two nodes gets a key; other keys are independent',
    run: async ({ store, config }) => {
      await using other = await openMetadataStore(config);
      const wanted = Array.from({ length: 60 }, (_, index) =>
        sampleClaim({
          scopeHash: Buffer.alloc(16, index % 3 === 0 ? 255 : index),
          nodeId: `node of ${index}`,
          attemptId: `attempt${index}`,
        }),
      );
      const standing = await Promise.all(
        wanted.map((claim, index) => (index % 2 === 0 ? store : other).keyClaims.claim(claim, 0)),
      );
      for (const [index, { scopeHash }] of standing.entries())
        assert.deepEqual(scopeHash, wanted[index]?.scopeHash);
      const owners = new Set(standing.map(({ attemptId }) => attemptId));
      assert.equal(owners.size, 41); // forty separate keys, and the one that twenty share
      await Promise.all(standing.map(claim => store.keyClaims.free(claim)));
      const found = await Promise.all(wanted.map(({ scopeHash }) => other.keyClaims.find(scopeHash, 0)));
      assert.ok(found.every(claim => claim === null));
    },
  },
  {
    title: 'two nodes that claim and free the same keys concurrently, in any order, do not deadlock',
    run: async ({ store, config }) => {
      await using other = await openMetadataStore(config);
      const contend = async ({ keyClaims }: typeof store, nodeId: string, order: readonly number[]) => {
        for (let round = 0; round < 20; round++) {
          await Promise.all(
            order.map(async byte => {
              const claim = sampleClaim({
                scopeHash: Buffer.alloc(16, byte),
                nodeId,
                attemptId: `${nodeId} ${round}`,
              });
              const standing = await keyClaims.claim(claim, 0);
              if (standing.nodeId === nodeId) await keyClaims.free(claim);
            }),
          );
        }
      };
      const order = Array.from({ length: 16 }, (_, index) => index);
      await Promise.all([contend(store, 'one', order), contend(other, 'two', order.toReversed())]);
      assert.deepEqual(await store.keyClaims.listUnresolved('one'), []);
      assert.deepEqual(await store.keyClaims.listUnresolved('two'), []);
    },
  },
  {
    title: 'expired claims are not found, and are removed in any number',
    run: async ({ store: { keyClaims } }) => {
      const claims = Array.from({ length: 5_100 }, (_, index) => {
        const scopeHash = Buffer.alloc(16);
        scopeHash.writeUInt32BE(index);
        return sampleClaim({ scopeHash, expiresAt: index === 0 ? 2000 : 1000 });
      });
      await Promise.all(claims.map(claim => keyClaims.claim(claim, 0)));
      assert.equal(await keyClaims.find(claims[1]!.scopeHash, 1000), null);
      await keyClaims.removeExpired(999);
      assert.equal((await keyClaims.listUnresolved('node1')).length, claims.length);
      await keyClaims.removeExpired(1000);
      assert.deepEqual(await keyClaims.listUnresolved('node1'), [unresolved(claims[0]!)]);
    },
  },
];
