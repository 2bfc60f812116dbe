/** Tests that every pair in a block is found again under the text that a query has for it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeBlock } from '../../../tests/blocks.ts';
import { PairFilter } from './pairFilter.ts';
import { hashPair } from './pairHash.ts';
import { addPairs } from './pairReading.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('a', 'ß', '漢', '🎮', '\0', '\ud800', '\udc00'), maxLength: 20 }),
  fc.constantFrom('', '0', 'true', 'player.id', 'x'.repeat(100_000)),
);

test('a filter contains every pair of a block, and counts its rows', () => {
  const leaves = fc.array(fc.tuple(text, text), { maxLength: 6 }); // the same path may come twice
  fc.assert(
    fc.property(fc.array(leaves, { minLength: 1, maxLength: 20 }), entries => {
      const filter = new PairFilter(4096);
      assert.equal(addPairs(makeBlock(entries), filter), entries.length);
      for (const [path, value] of entries.flat()) {
        const hash = hashPair(`${path}\0${value}`);
        assert.ok(hash === null || filter.has(hash), JSON.stringify([path, value]));
      }
    }),
  );
});
