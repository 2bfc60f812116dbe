/** Streams whose readers take one buffer and then wait: they hold little together, and a fast reader gets large buffers again after they left. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { openFile } from './fileCalls.ts';
import { blobStreamBytes, openRangeStream } from './rangeStream.ts';

const directory = await mkdtemp(path.join(tmpdir(), 'range-'));
after(() => rm(directory, { recursive: true }));
const place = path.join(directory, 'file');
const megabyte = 1024 * 1024;
await using file = await open(place, 'w');
await file.truncate(megabyte);

/** Takes one buffer, and returns its size. */
async function begin() {
  const stream = openRangeStream({ descriptor: (await openFile(place))!, start: 0, end: megabyte });
  const [bytes] = (await once(stream, 'data')) as [Buffer]; // as documented
  stream.pause();
  return { stream, size: bytes.length };
}

test('five hundred readers that stand still hold less than 64 MiB', async () => {
  const still = [];
  for (let count = 0; count < 500; count += 1) still.push(await begin());
  const held = still.reduce((sum, { size }) => sum + size, 0);
  assert.ok(held < 64 * megabyte, `${held} bytes`);
  for (const { stream } of still) stream.destroy();
  const { stream, size } = await begin();
  stream.destroy();
  assert.equal(size, blobStreamBytes);
});
