/** Hashes in the browser agree with those of the service, however the bytes are divided. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { Sha256 } from './sha256.ts';

const expected = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('the hash of', () => {
  for (const length of [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1_000, 65_537])
    it(`${length} bytes`, () => {
      const bytes = randomBytes(length);
      assert.equal(new Sha256().update(bytes).digest(), expected(bytes));
    });

  it('bytes that come in parts of any size', () => {
    for (let round = 0; round < 200; round++) {
      const bytes = randomBytes(round * 7);
      const hash = new Sha256();
      let at = 0;
      for (let step = 1; at < bytes.length; step = ((step * 31 + round) % 97) + 1) {
        hash.update(bytes.subarray(at, at + step));
        at += step;
      }
      assert.equal(hash.digest(), expected(bytes));
    }
  });
});
