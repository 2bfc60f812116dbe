/** Tests which rule changes would delete files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findShortened, type Retention } from './retention.ts';

const forEver: Retention = { image: null, video: null, audio: null, folders: [] };
const month: Retention = { ...forEver, image: 30 };
const clips = (days: number | null) => ({ ...month, folders: [{ path: 'clips', days }] });

for (const [name, before, after, days] of [
  ['nothing changes', month, month, null],
  ['a type gets its first rule', forEver, month, 30],
  ['a type is kept longer', month, { ...month, image: 60 }, null],
  ['a rule of a type is removed', month, forEver, null],
  ['two types are kept for a shorter time', month, { ...month, image: 20, audio: 9 }, 9],
  ['a folder gets a rule', month, clips(7), 7],
  ['a folder is kept forever', month, clips(null), null],
  ['a folder is kept for a shorter time', clips(7), clips(3), 3],
  ['a folder is kept longer', clips(3), clips(7), null],
  ['a folder loses its rule to a shorter one of its type', clips(90), month, 30],
  ['a folder loses its rule to a longer one of its type', clips(7), month, null],
] as const) {
  test(`${name}: ${days === null ? 'nothing is shortened' : `shortened to ${days} days`}`, () =>
    assert.equal(findShortened(before, after), days));
}
