/** Cases for places: taken, missing, oddly named, listed and quarantined. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';
import type { BlobEntry } from '../../src/blobStore.ts';
import { collect, nameBlob, type OpenBlobs, putBytes } from './openBlobs.ts';

export function testPlaces(blobs: OpenBlobs): void {
  it('does not overwrite an existing blob', async () => {
    const place = blobs.store.placeOf(nameBlob(), null);
    await putBytes(blobs, place, Buffer.from('first'));
    await assert.rejects(putBytes(blobs, place, Buffer.from('second')), { code: 'blob_exists' });
    assert.equal((await blobs.store.readBytes(place, { start: 0, end: 5 }))?.toString(), 'first');
    assert.deepEqual(await readdir(path.join(blobs.directory, 'staging')), []);
  });

  it('returns null or false for a missing blob', async () => {
    const place = blobs.store.placeOf(nameBlob(), null);
    assert.equal(await blobs.store.size(place), null);
    assert.equal(await blobs.store.read(place, { start: 0, end: 1 }), null);
    assert.equal(await blobs.store.readBytes(place, { start: 0, end: 1 }), null);
    assert.equal(await blobs.store.delete(place), false);
    assert.equal(await blobs.store.quarantine(place, Date.now()), false);
    assert.equal(await blobs.store.restore(place), false);
    assert.equal(await blobs.store.purge(place), false);
  });

  it('deletes a blob only once', async () => {
    const place = blobs.store.placeOf(nameBlob(), null);
    await putBytes(blobs, place, Buffer.from('bytes'));
    assert.equal(await blobs.store.delete(place), true);
    assert.equal(await blobs.store.size(place), null);
    assert.equal(await blobs.store.delete(place), false);
  });

  it('puts and deletions on the same day do not interfere', async () => {
    const rounds = Array.from({ length: 40 }, async () => {
      const place = blobs.store.placeOf(nameBlob({ project: 'busy' }), null);
      await putBytes(blobs, place, Buffer.from('x'));
      assert.equal(await blobs.store.delete(place), true);
    });
    await Promise.all(rounds);
  });
}

export function testNames(blobs: OpenBlobs): void {
  const names = [
    { title: 'a plain name', stem: 'cat', folder: 'clips/2024' },
    {
      title: 'characters with a meaning in URLs',
      stem: 'a b+c%20d?e#f&g;h=i',
      folder: '100% real/~x!*()\'"',
    },
    { title: 'names in many scripts', stem: '猫 кот 🐈 é', folder: 'ゲーム/снимки' },
    {
      title: 'the longest path and stem',
      stem: '猫'.repeat(66),
      folder: Array(16).fill('p'.repeat(31)).join('/'),
    },
    { title: 'a name that resembles a path traversal', stem: '..', folder: '...' },
  ];
  for (const { title, ...name } of names) {
    it(`keeps ${title}`, async () => {
      const place = blobs.store.placeOf(nameBlob(name), null);
      await putBytes(blobs, place, Buffer.from(title));
      const range = { start: 0, end: Buffer.byteLength(title) };
      assert.equal((await blobs.store.readBytes(place, range))?.toString(), title);
      assert.ok((await collect(blobs.store.list())).some(entry => entry.place === place));
    });
  }

  it('names that differ in project, id or variant never share a place', () => {
    const name = nameBlob({ stem: 'same' });
    const others = [{ ...name, project: 'other' }, nameBlob({ stem: 'same' })];
    const places = [name, ...others].flatMap(each =>
      [null, 'w320.webp', 'w640.webp'].map(variant => blobs.store.placeOf(each, variant)),
    );
    assert.equal(new Set(places).size, places.length);
    assert.equal(blobs.store.placeOf(name, 'w320.webp'), blobs.store.placeOf({ ...name }, 'w320.webp'));
  });
}

export function testListing(blobs: OpenBlobs): void {
  it('lists every blob and variant once, in order', async () => {
    assert.deepEqual(await collect(blobs.store.list()), []);
    const expected: Partial<BlobEntry>[] = [];
    for (const project of ['default', 'default-2', 'z']) {
      for (const stem of ['b', 'a', 'ä']) {
        const name = nameBlob({ project, stem, folder: stem === 'a' ? 'f' : 'f f' });
        for (const variant of [null, 'h640cover.avif']) {
          const place = blobs.store.placeOf(name, variant);
          await putBytes(blobs, place, Buffer.alloc(expected.length + 1));
          expected.push({ place, fileId: name.fileId, variant, sizeBytes: expected.length + 1 });
        }
      }
    }
    expected.sort((a, b) => Buffer.compare(Buffer.from(a.place ?? ''), Buffer.from(b.place ?? '')));
    const listed = await collect(blobs.store.list());
    assert.deepEqual(
      listed.map(({ modifiedAt: _, ...entry }) => entry),
      expected,
    );
    for (const { modifiedAt } of listed) assert.ok(Math.abs(Date.now() - modifiedAt) < 60_000);
  });
}

export function testQuarantine(blobs: OpenBlobs): void {
  it('quarantines, lists, restores and purges', async () => {
    const name = nameBlob({ stem: 'set aside', folder: 'ü b' });
    const place = blobs.store.placeOf(name, null);
    await putBytes(blobs, place, Buffer.from('bytes'));
    assert.equal(await blobs.store.quarantine(place, Date.now()), true);
    assert.equal(await blobs.store.size(place), null);
    assert.deepEqual(await collect(blobs.store.list()), []);
    const [entry] = await collect(blobs.store.listQuarantine());
    assert.ok(entry);
    assert.deepEqual([entry.place, entry.fileId, entry.sizeBytes], [place, name.fileId, 5]);
    assert.ok(Math.abs(Date.now() - entry.modifiedAt) < 60_000);
    assert.equal(await blobs.store.quarantine(place, Date.now()), false);

    assert.equal(await blobs.store.restore(place), true);
    assert.equal((await blobs.store.readBytes(place, { start: 0, end: 5 }))?.toString(), 'bytes');
    assert.deepEqual(await collect(blobs.store.listQuarantine()), []);

    assert.equal(await blobs.store.quarantine(place, Date.now()), true);
    assert.equal(await blobs.store.purge(place), true);
    assert.deepEqual(await collect(blobs.store.listQuarantine()), []);
    assert.equal(await blobs.store.restore(place), false);
  });

  it('restoring from quarantine does not overwrite a blob in the same place', async () => {
    const place = blobs.store.placeOf(nameBlob(), null);
    await putBytes(blobs, place, Buffer.from('first'));
    await blobs.store.quarantine(place, Date.now());
    await putBytes(blobs, place, Buffer.from('second'));
    await assert.rejects(blobs.store.restore(place), { code: 'blob_exists' });
    assert.equal((await blobs.store.readBytes(place, { start: 0, end: 6 }))?.toString(), 'second');
  });
}
