/** Uses of presigned tokens: claimed, given back, and forgotten after the tokens expire. */
import assert from 'node:assert/strict';
import { openMetadataStore } from '../../src/store.ts';
import type { ConformanceCase } from './cases.ts';

export const presignedCases: readonly ConformanceCase[] = [
  {
    title: 'as many concurrent claims of a presigned token succeed as it has uses',
    run: async ({ store, config }) => {
      await using other = await openMetadataStore(config);
      const use = { tokenId: 'token', usesMax: 5, expiresAt: 1000, forgottenUntil: null };
      const claim = () =>
        Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 === 0 ? store : other).presignedUses.claim(use),
          ),
        );
      assert.equal(await store.presignedUses.count('token'), 0);
      assert.equal((await claim()).filter(Boolean).length, 5);
      assert.equal(await other.presignedUses.count('token'), 5);
      await store.presignedUses.giveBack('token');
      assert.equal(await store.presignedUses.count('token'), 4);
      await other.presignedUses.giveBack('unknown');
      assert.equal((await claim()).filter(Boolean).length, 1);
      await store.presignedUses.forgetExpired(1000);
      assert.equal((await claim()).filter(Boolean).length, 0, 'not yet');
    },
  },
  {
    title: 'a presigned token whose uses were forgotten is never claimed again, whatever the clock says',
    run: async ({ store }) => {
      const { presignedUses } = store;
      const claim = (tokenId: string, expiresAt: number, forgottenUntil: number | null = null) =>
        presignedUses.claim({ tokenId, usesMax: 1, expiresAt, forgottenUntil });
      assert.equal(await presignedUses.findForgottenUntil(), null);
      await presignedUses.forgetExpired(1);
      assert.equal(await presignedUses.findForgottenUntil(), null, 'there was nothing to forget');
      for (const [id, end] of [
        ['a', 1000],
        ['b', 2000],
        ['c', 3000],
      ] as const)
        assert.equal(await claim(id, end), true);
      await presignedUses.forgetExpired(2001);
      assert.equal(await presignedUses.findForgottenUntil(), 2000);
      assert.deepEqual(await Promise.all(['a', 'b', 'c'].map(presignedUses.count)), [0, 0, 1]);
      for (const [id, end] of [
        ['a', 1000],
        ['b', 2000],
        ['c', 3000],
        ['unused', 1500],
      ] as const)
        assert.equal(await claim(id, end), false, id);
      assert.equal(await claim('later', 2001), true);
      assert.equal(await claim('made since', 1500, 2000), true);
      await presignedUses.forgetExpired(1600);
      assert.equal(await claim('made since', 1500, 2000), false, 'its count is kept until 2000');
      await presignedUses.forgetExpired(2002);
      assert.equal(await presignedUses.findForgottenUntil(), 2001);
      assert.equal(await claim('made since', 1500, 2000), false);
      assert.equal(await claim('made since the last time', 1500, 2001), true);
    },
  },
];
