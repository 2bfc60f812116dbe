/** Minutes of rate limits: all nodes' claims together are granted no more than the limit. */
import assert from 'node:assert/strict';
import { openMetadataStore } from '../../src/store.ts';
import type { ConformanceCase } from './cases.ts';

const request = { tokenId: 'one', wanted: 4, requestsMax: 10, windowMs: 1000 };
const startedAt = 5000;

export const rateWindowCases: readonly ConformanceCase[] = [
  {
    title: 'grants the rest, and nothing beyond it',
    run: async ({ store: { rateWindows } }) => {
      for (const [now, requests, granted] of [
        [5000, 4, 4],
        [5001, 8, 4],
        [4999, 10, 2],
        [5999, 10, 0],
      ] as const) {
        assert.deepEqual(await rateWindows.claim(request, now), { startedAt, requests, granted });
      }
    },
  },
  {
    title: 'grants a first request beyond the limit up to it',
    run: async ({ store: { rateWindows } }) => {
      const claim = await rateWindows.claim({ ...request, wanted: 50 }, startedAt);
      assert.deepEqual(claim, { startedAt, requests: 10, granted: 10 });
    },
  },
  {
    title: 'a window ends, and one from before a clock was set back does not count',
    run: async ({ store: { rateWindows } }) => {
      for (const now of [5000, 6000, 9000, 5000]) {
        const claim = await rateWindows.claim({ ...request, wanted: 10 }, now);
        assert.deepEqual(claim, { startedAt: now, requests: 10, granted: 10 });
      }
    },
  },
  {
    title: 'a lower limit than before grants nothing more',
    run: async ({ store: { rateWindows } }) => {
      await rateWindows.claim({ ...request, wanted: 10 }, startedAt);
      const claim = await rateWindows.claim({ ...request, requestsMax: 3 }, startedAt);
      assert.deepEqual(claim, { startedAt, requests: 10, granted: 0 });
    },
  },
  {
    title: 'grants returned requests again, but not in another window',
    run: async ({ store: { rateWindows } }) => {
      await rateWindows.claim({ ...request, wanted: 10 }, startedAt);
      await rateWindows.giveBack({ tokenId: 'one', startedAt, requests: 3 });
      assert.equal((await rateWindows.claim(request, startedAt)).granted, 3);
      await rateWindows.giveBack({ tokenId: 'one', startedAt: 4000, requests: 3 });
      assert.equal((await rateWindows.claim(request, startedAt)).granted, 0);
    },
  },
  {
    title: 'concurrent claims of two nodes are granted the limit together, per token',
    run: async ({ config, store }) => {
      await using other = await openMetadataStore(config);
      const tokens = ['one', 'two', 'three'];
      const claims = Array.from({ length: 60 }, async (_, index) => {
        const tokenId = tokens[index % tokens.length]!;
        const { rateWindows } = index % 2 === 0 ? store : other;
        const { granted } = await rateWindows.claim({ ...request, tokenId, wanted: 1 }, startedAt);
        return { tokenId, granted };
      });
      const granted = await Promise.all(claims);
      for (const tokenId of tokens) {
        const sum = granted
          .filter(claim => claim.tokenId === tokenId)
          .reduce((all, own) => all + own.granted, 0);
        assert.equal(sum, request.requestsMax, tokenId);
      }
    },
  },
  {
    title: 'removes expired windows',
    run: async ({ store: { rateWindows } }) => {
      await rateWindows.claim(request, startedAt);
      await rateWindows.removeEnded(startedAt);
      assert.equal((await rateWindows.claim(request, startedAt)).requests, 8);
      await rateWindows.removeEnded(startedAt + 1);
      assert.equal((await rateWindows.claim(request, startedAt)).requests, 4);
    },
  },
];
