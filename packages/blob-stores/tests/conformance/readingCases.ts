/** Cases for reading and putting: the store returns the bytes it was given, in any range, and leaves nothing open. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { before, it } from 'node:test';
import { blobStreamBytes } from '../../src/rangeStream.ts';
import { collect, nameBlob, type OpenBlobs, putBytes } from './openBlobs.ts';

export function testReading(blobs: OpenBlobs): void {
  const bytes = randomBytes(blobStreamBytes * 3 + 17);
  let place = '';

  before(async () => {
    place = blobs.store.placeOf(nameBlob(), null);
    await putBytes(blobs, place, bytes);
  });

  it('takes over the staged file and leaves nothing in staging', async () => {
    assert.deepEqual(await readdir(path.join(blobs.directory, 'staging')), []);
  });

  it('returns the size', async () => assert.equal(await blobs.store.size(place), bytes.length));

  const ranges = [
    [0, bytes.length],
    [0, 1],
    [bytes.length - 1, bytes.length],
    [blobStreamBytes - 1, blobStreamBytes * 2 + 1],
  ] as const;
  for (const [start, end] of ranges) {
    it(`reads bytes ${start} to ${end}, as a stream and in one piece`, async () => {
      const stream = (await blobs.store.read(place, { start, end })) ?? [];
      assert.ok(
        Buffer.concat(await collect(stream as AsyncIterable<Buffer>)).equals(bytes.subarray(start, end)),
      );
      assert.ok((await blobs.store.readBytes(place, { start, end }))?.equals(bytes.subarray(start, end)));
    });
  }

  it('a stream that is left early releases its resources', async () => {
    const open = openDescriptors();
    for (let round = 0; round < 20; round++) {
      const stream = await blobs.store.read(place, { start: 0, end: bytes.length });
      for await (const chunk of stream ?? []) {
        assert.ok(chunk.length > 0);
        break;
      }
      const unread = await blobs.store.read(place, { start: 0, end: bytes.length });
      await new Promise(resolve => unread?.once('close', resolve).destroy());
    }
    assert.ok((await openDescriptors()) <= (await open) + 4, 'descriptors stay open');
  });
}

export function testPutting(blobs: OpenBlobs): void {
  it('an empty blob is kept', async () => {
    const empty = blobs.store.placeOf(nameBlob(), null);
    await putBytes(blobs, empty);
    assert.equal(await blobs.store.size(empty), 0);
  });

  it('stores many blobs at once', async () => {
    const puts = Array.from({ length: 24 }, () => ({
      place: blobs.store.placeOf(nameBlob(), null),
      bytes: randomBytes(3000),
    }));
    await Promise.all(puts.map(put => putBytes(blobs, put.place, put.bytes)));
    for (const put of puts) {
      assert.ok((await blobs.store.readBytes(put.place, { start: 0, end: 3000 }))?.equals(put.bytes));
    }
  });

  it('reports that it is usable', () => blobs.store.check());
}

async function openDescriptors(): Promise<number> {
  return (await readdir('/proc/self/fd')).length;
}
