/** Tests that the largest holder gets the least room, so that it cannot starve the others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatheredBytes } from '@tapedeck/fast-http';
import { HeldBytes, heldBytesMax as most } from './bodyMemory.ts';

test('one holder gets half of the memory, and each further holder still finds some', () => {
  const [one, same, other] = ['one', 'one', 'other'].map(
    holder => new GatheredBytes(new HeldBytes(holder, () => {})),
  );
  assert.ok(one!.add(Buffer.alloc(most / 2)));
  assert.ok(!same!.add(Buffer.alloc(1)));
  same!.drop();
  assert.ok(other!.add(Buffer.alloc(most / 4)));
  assert.ok(!other!.add(Buffer.alloc(1)));
  one!.drop();
  one!.drop();
  assert.ok(other!.add(Buffer.alloc(most / 4 - 1)));
  assert.ok(!other!.add(Buffer.alloc(1)));
  other!.drop();
});
