/** Files sent in one piece hold memory until sent, and cached files hold it once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blobReadBytesMax } from '@tapedeck/blob-stores';
import { makeMediaMemory, warmedFileBytesMax, wholeReadsBytesMax } from './mediaMemory.ts';

const large = blobReadBytesMax;
const roomFor = wholeReadsBytesMax / large;

test('admits a fixed number, and as many more as have finished', () => {
  const reads = makeMediaMemory(large);
  const releases = Array.from({ length: roomFor }, () => reads.reserve(large));
  assert.ok(releases.every(release => release !== null));
  assert.equal(reads.reserve(large), null);
  releases[0]?.();
  assert.notEqual(reads.reserve(large), null);
  assert.equal(reads.reserve(1), null);
});

test('a file sent from memory to many clients counts once, until the last one has it', () => {
  const reads = makeMediaMemory(large);
  const bytes = Buffer.alloc(large);
  const releases = Array.from({ length: 100 }, () => reads.hold(bytes));
  assert.ok(releases.every(release => release !== null));
  for (let index = 1; index < roomFor; index += 1) assert.notEqual(reads.reserve(large), null);
  assert.equal(reads.reserve(large), null);
  for (const release of releases.slice(1)) release?.();
  assert.equal(reads.reserve(large), null);
  releases[0]?.();
  assert.notEqual(reads.reserve(large), null);
});

test('small files need no reservation; files beyond the read size get none', () => {
  const reads = makeMediaMemory(large);
  for (let index = 0; index < roomFor; index += 1) reads.reserve(large);
  assert.notEqual(reads.hold(Buffer.alloc(warmedFileBytesMax)), null);
  assert.equal(makeMediaMemory(large).reserve(large + 1), null);
});
