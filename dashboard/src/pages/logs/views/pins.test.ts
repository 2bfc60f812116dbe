/** Tests pins of saved views: kept when the search changes, and listed in pinning order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openView } from '../search.ts';
import { isPinned, keepPin, listPinned, pin, unpin } from './pins.ts';

const view = (name: string, query: string) => ({
  id: name,
  name,
  query,
  createdAt: '2026-01-02T03:04:05.000Z',
  createdBy: 'user a@example.org',
});

test('keeps a pin with its view while the search changes, outside the search itself', () => {
  const plain = view('a', 'query=level%3Aerror');
  const pinned = { ...plain, query: pin(plain, 5) };
  assert.deepEqual([isPinned(plain), isPinned(pinned)], [false, true]);
  assert.deepEqual(openView(pinned), openView(plain));
  assert.equal(keepPin(pinned, 'range=7d'), 'range=7d&home=5');
  assert.equal(keepPin(plain, 'range=7d'), 'range=7d');
  assert.equal(unpin(pinned), plain.query);
});

test('orders pins by time and ignores pins without a valid time', () => {
  const views = [view('b', 'home=20'), view('c', 'home=soon'), view('d', ''), view('a', 'home=3')];
  assert.deepEqual(
    listPinned(views).map(({ name }) => name),
    ['a', 'b'],
  );
});
