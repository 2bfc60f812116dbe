/** Cases for unfinished uploads: reported bytes stay stored, whatever happens later, and become a blob. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, it } from 'node:test';
import type { Partial, PartialBlobs } from '../../src/blobStore.ts';
import { collect, nameBlob, type OpenBlobs } from './openBlobs.ts';

const mebibyte = 1024 * 1024;
/** More than an S3 store puts into one object. */
const bytes = randomBytes(37 * mebibyte + 5);
const chunkBytes = 300_001;

let lastName = 0;
const newName = () => String(++lastName).padStart(20, 'p');

type Cut = { to: number; breaksOff?: boolean; isOnTrial?: boolean };

async function* cutChunks(from: number, { to, breaksOff = false }: Cut): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; at += chunkBytes) yield bytes.subarray(at, Math.min(at + chunkBytes, to));
  if (breaksOff) throw new Error('cut');
}

type OpenPartials = {
  readonly partials: PartialBlobs;
  append(partial: Partial, cut: Cut): Promise<Partial>;
  readAll(partial: Partial, range?: readonly [number, number]): Promise<Buffer>;
  requireKept(partial: Partial, sizeBytes: number): Promise<void>;
};

export function testPartials(blobs: OpenBlobs): void {
  const open = openPartials(blobs);
  testAppending(open);
  testPromoting(blobs, open);
}

function openPartials(blobs: OpenBlobs): OpenPartials {
  let partials: PartialBlobs;
  before(() => {
    partials = blobs.store.openPartials(blobs.staging);
  });

  /** Returns what is stored then. */
  async function append(partial: Partial, cut: Cut): Promise<Partial> {
    let { sizeBytes } = partial;
    const tellKept = async (kept: number) => {
      assert.ok(kept > sizeBytes, `${kept} bytes are more than ${sizeBytes}`);
      sizeBytes = kept;
    };
    const chunks = cutChunks(partial.sizeBytes, cut);
    const appending = partials.append(partial, {
      chunks,
      reportStored: tellKept,
      isOnTrial: cut.isOnTrial ?? false,
    });
    if (cut.breaksOff) await assert.rejects(appending, /cut/);
    else await appending;
    return { ...partial, sizeBytes };
  }

  const readAll = async (partial: Partial, [start, end] = [0, partial.sizeBytes]) =>
    Buffer.concat(await collect<Buffer>(await partials.read(partial, { start, end })));

  async function requireKept(partial: Partial, sizeBytes: number): Promise<void> {
    assert.equal(partial.sizeBytes, sizeBytes);
    assert.ok((await readAll(partial)).equals(bytes.subarray(0, sizeBytes)), 'the bytes that were sent');
  }

  return {
    get partials() {
      return partials;
    },
    append,
    readAll,
    requireKept,
  };
}

function testAppending(open: OpenPartials): void {
  const { append, readAll, requireKept } = open;

  it('appends in order, and keeps what came before a break', async () => {
    let partial: Partial = { name: newName(), sizeBytes: 0 };
    for (const to of [1, 1000, 3 * mebibyte, 16 * mebibyte, 16 * mebibyte + 1, 33 * mebibyte]) {
      partial = await append(partial, { to, breaksOff: to % 2 === 0 });
      await requireKept(partial, to);
    }
    partial = await append(partial, { to: bytes.length });
    await requireKept(partial, bytes.length);
    for (const [start, end] of [
      [0, 16],
      [16 * mebibyte - 3, 16 * mebibyte + 3],
      [bytes.length - 1, bytes.length],
    ] as const)
      assert.ok((await readAll(partial, [start, end])).equals(bytes.subarray(start, end)));
  });

  it('reports stored bytes before the end', async () => {
    const told: number[] = [];
    const chunks = cutChunks(0, { to: bytes.length });
    const tellKept = async (sizeBytes: number) => void told.push(sizeBytes);
    await open.partials.append(
      { name: newName(), sizeBytes: 0 },
      { chunks, reportStored: tellKept, isOnTrial: false },
    );
    assert.ok(told.length >= 2);
    assert.equal(told.at(-1), bytes.length);
  });

  it('discards bytes on trial when continuing from before them', async () => {
    let partial = await append({ name: newName(), sizeBytes: 0 }, { to: 2 * mebibyte });
    for (const to of [5 * mebibyte, 20 * mebibyte]) await append(partial, { to, isOnTrial: true });
    await requireKept(partial, 2 * mebibyte);
    partial = await append(partial, { to: 4 * mebibyte });
    await requireKept(partial, 4 * mebibyte);
  });

  it('an error in the callback ends the upload', async () => {
    const name = newName();
    const chunks = cutChunks(0, { to: bytes.length });
    const tellKept = () => Promise.reject(new Error('enough'));
    await assert.rejects(
      open.partials.append({ name, sizeBytes: 0 }, { chunks, reportStored: tellKept, isOnTrial: false }),
      /enough/,
    );
    await requireKept(await append({ name, sizeBytes: 0 }, { to: 1000 }), 1000);
  });
}

function testPromoting(blobs: OpenBlobs, open: OpenPartials): void {
  const { append, readAll } = open;

  for (const sizeBytes of [1, 16 * mebibyte, bytes.length]) {
    it(`${sizeBytes} bytes become a blob repeatedly until they are deleted`, async () => {
      const partial = await append({ name: newName(), sizeBytes: 0 }, { to: sizeBytes });
      for (let round = 0; round < 2; round++) {
        const place = blobs.store.placeOf(nameBlob(), null);
        await open.partials.promote(partial, { place, mimeType: 'video/mp4' });
        assert.equal(await blobs.store.size(place), sizeBytes);
        const stream = await blobs.store.read(place, { start: 0, end: sizeBytes });
        assert.ok(Buffer.concat(await collect<Buffer>(stream!)).equals(bytes.subarray(0, sizeBytes)));
      }
      assert.equal(await open.partials.delete(partial.name), true);
      assert.equal(await open.partials.delete(partial.name), false);
    });
  }

  it('an upload whose bytes are missing does not exist', async () => {
    const lost: Partial = { name: newName(), sizeBytes: 1000 };
    assert.equal(await open.partials.isThere(lost), false);
    const place = blobs.store.placeOf(nameBlob(), null);
    for (const attempt of [
      async () => await readAll(lost),
      () => append(lost, { to: 2000 }),
      () => open.partials.promote(lost, { place, mimeType: 'video/mp4' }),
    ])
      await assert.rejects(attempt, { code: 'blobs_unavailable' });
    assert.equal(await blobs.store.size(place), null);
  });

  it('says whether all stored bytes are there', async () => {
    const partial = await append({ name: newName(), sizeBytes: 0 }, { to: 17 * mebibyte });
    await append(partial, { to: 18 * mebibyte, isOnTrial: true });
    assert.equal(await open.partials.isThere(partial), true);
    assert.equal(await open.partials.isThere({ ...partial, sizeBytes: 33 * mebibyte }), false);
    await open.partials.delete(partial.name);
    assert.equal(await open.partials.isThere(partial), false);
    assert.equal(await open.partials.isThere({ ...partial, sizeBytes: 0 }), true);
  });

  it('lists uploads separately from blobs', async () => {
    for await (const name of open.partials.list()) await open.partials.delete(name);
    const before = (await collect(blobs.store.list())).length;
    const names = [newName(), newName()];
    for (const name of names) await append({ name, sizeBytes: 0 }, { to: 1000 });
    assert.deepEqual((await collect(open.partials.list())).sort(), names.sort());
    assert.equal((await collect(blobs.store.list())).length, before);
  });
}
