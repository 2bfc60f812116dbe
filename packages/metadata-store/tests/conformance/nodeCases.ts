/** Nodes: the record of each, and that a dead node's claims are freed. */
import assert from 'node:assert/strict';
import type { NodeRecord } from '@tapedeck/domain/ports/nodes';
import type { ConformanceCase } from './cases.ts';

const sampleNode = (changes: Partial<NodeRecord> = {}): NodeRecord => ({
  name: 'one',
  version: '0.1.0',
  runId: 'run1',
  journalId: 'journal1',
  startedAt: 10,
  seenAt: 20,
  stoppedAt: null,
  waitingEntries: 0,
  ...changes,
});

export const nodeCases: readonly ConformanceCase[] = [
  {
    title: 'keeps the last report of a node; forgets one that stopped long ago with nothing left',
    run: async ({ store }) => {
      const again = sampleNode({ runId: 'run2', seenAt: 30, version: '0.2.0' });
      const stopped = sampleNode({ name: 'two', stoppedAt: 40 });
      const left = sampleNode({ name: 'three', stoppedAt: 40, waitingEntries: 5 });
      await store.write(async ({ nodes }) => {
        for (const node of [sampleNode(), again, stopped, left]) await nodes.put(node);
      });
      assert.deepEqual(await store.read.nodes.list(), [again, left, stopped]);
      await store.write(({ nodes }) => nodes.removeStopped(40));
      assert.equal((await store.read.nodes.list()).length, 3);
      await store.write(({ nodes }) => nodes.removeStopped(41));
      assert.deepEqual(await store.read.nodes.list(), [again, left]);
      await store.write(({ nodes }) => nodes.remove('one'));
      assert.deepEqual(await store.read.nodes.list(), [left]);
    },
  },
  {
    title: 'frees the leases and claims of a node at once, and not those of others',
    run: async ({ store }) => {
      const hold = (name: string, holder: string) =>
        store.write(({ leases }) =>
          leases.acquire({ name, holder, expiresAt: 1_000 }, { now: 1, heldUntilMax: 1_000 }),
        );
      for (const holder of ['run1', 'journal1', 'other'])
        assert.equal(await hold(`of ${holder}`, holder), true);
      const hashes = (byte: number) => ({ scopeHash: Buffer.alloc(16, byte), bodyHash: Buffer.alloc(16, 9) });
      const claim = (byte: number, nodeId: string) =>
        store.keyClaims.claim(
          { ...hashes(byte), nodeId, attemptId: `${nodeId} ${byte}`, expiresAt: 1_000 },
          1,
        );
      const stored = await claim(1, 'journal1');
      const traceId = '0123456789abcdef'.repeat(2);
      await store.keyClaims.complete(stored, { bodyHash: hashes(1).bodyHash, traceId, expiresAt: 1_000 });
      await claim(2, 'journal1');
      await claim(3, 'other');
      const freed = await store.write(({ nodes }) => nodes.free(sampleNode()));
      assert.deepEqual(freed, { leases: 2, claims: 1 });
      assert.equal(await hold('of run1', 'next'), true);
      assert.equal(await hold('of journal1', 'next'), true);
      assert.equal(await hold('of other', 'next'), false);
      assert.equal((await claim(1, 'next')).nodeId, 'journal1', 'what was stored under a key stays');
      assert.equal((await claim(2, 'next')).nodeId, 'next');
      assert.equal((await claim(3, 'next')).nodeId, 'other');
    },
  },
];
