/** Cursors survive a round trip and reject any change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCursorSigner } from './pages.ts';

const traceId = '019b7c3b8a2371c89234567890abcdef';
const arrival = { micros: 1_767_322_800_123_456, traceId };
const seal = createCursorSigner('a secret of some length');
const sameSecret = createCursorSigner('a secret of some length');
const otherSecret = createCursorSigner('another secret');

test('every node with the same secret can read a cursor', () => {
  assert.equal(sameSecret.decode(seal.encode(traceId)), traceId);
  assert.deepEqual(sameSecret.decodeArrival(seal.encodeArrival(arrival)), arrival);
  assert.equal(otherSecret.decode(seal.encode(traceId)), null);
  assert.equal(otherSecret.decodeArrival(seal.encodeArrival(arrival)), null);
});

test('a tail cursor is valid for pages, but a page cursor is not valid for tails', () => {
  assert.equal(seal.decode(seal.encodeArrival(arrival)), traceId);
  assert.equal(seal.decodeArrival(seal.encode(traceId)), null);
});

test('rejects a cursor with any character changed', () => {
  for (const cursor of [seal.encode(traceId), seal.encodeArrival(arrival)]) {
    for (let index = 0; index < cursor.length; index++) {
      const other = cursor[index] === 'A' ? 'B' : 'A';
      const changed = cursor.slice(0, index) + other + cursor.slice(index + 1);
      assert.equal(seal.decode(changed), null, `changed at ${index}`);
      assert.equal(seal.decodeArrival(changed), null, `changed at ${index}`);
    }
  }
});
