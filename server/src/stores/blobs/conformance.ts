/** What every blob store must do, whatever lies behind it: one suite that each adapter is run through. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stageUpload } from '../../domain/files/uploadStaging.ts';
import type { BlobEntry, BlobName, BlobStore, StagedFile, Staging } from '../../domain/ports/blobs.ts';
import { limits } from '../../vocabulary.ts';
import { openStaging } from './staging.ts';

export type BlobAdapter = {
  title: string;
  /** A store that holds nothing, with staging that fits it, in this directory of their own. */
  open(directory: string): Promise<{ store: BlobStore; staging: Staging }>;
};

export type OpenBlobs = { store: BlobStore; staging: Staging; directory: string };

/** A store for the tests of a `describe`, gone after them. */
export function useBlobs(open: BlobAdapter['open']): OpenBlobs {
  const blobs: Partial<OpenBlobs> = {};
  before(async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'blobs-'));
    Object.assign(blobs, { directory, ...(await open(directory)) });
  });
  after(async () => {
    await blobs.store?.[Symbol.asyncDispose]();
    await rm(blobs.directory ?? '', { recursive: true, force: true });
  });
  return blobs as OpenBlobs; // filled before the first test runs
}

export const stageBytes = (staging: Staging, ...chunks: Buffer[]): Promise<StagedFile> =>
  stageUpload({ staging }, streamOf(chunks), { bytesMax: limits.fileSizeBytesMax * 2 });

async function* streamOf(chunks: Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

let lastId = 0;

/** Names as the domain makes them, each new; the day long over. */
export function nameBlob(changes: Partial<BlobName> & { stem?: string; folder?: string } = {}): BlobName {
  const fileId = changes.fileId ?? String(++lastId).padStart(20, 'A');
  const stem = changes.stem === undefined ? '' : `${changes.stem}-`;
  const folder = changes.folder === undefined ? '' : `${changes.folder}/`;
  const createdAt = Date.UTC(2024, 1, 29, 23, 59, 59, 999);
  return { project: 'default', fileId, storageKey: `${folder}${stem}${fileId}.png`, createdAt, ...changes };
}

export async function putBytes(blobs: OpenBlobs, place: string, ...chunks: Buffer[]): Promise<void> {
  await using staged = await stageBytes(blobs.staging, ...chunks);
  await blobs.store.put(place, staged, 'image/png');
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export function testConformance(adapter: BlobAdapter): void {
  describe(`${adapter.title}: staging`, () => testStaging(useBlobs(adapter.open)));
  describe(`${adapter.title}: putting and reading`, () => testReading(useBlobs(adapter.open)));
  describe(`${adapter.title}: taken and missing places`, () => testPlaces(useBlobs(adapter.open)));
  describe(`${adapter.title}: names`, () => testNames(useBlobs(adapter.open)));
  describe(`${adapter.title}: listing`, () => testListing(useBlobs(adapter.open)));
  describe(`${adapter.title}: quarantine`, () => testQuarantine(useBlobs(adapter.open)));
}

function testStaging(blobs: OpenBlobs): void {
  const stagingFiles = () => readdir(path.join(blobs.directory, 'staging'));

  it('tells size and hash, and reads any part, from memory or disk', async () => {
    const bytes = randomBytes(limits.fileHeadBytes * 2 + 5);
    await using staged = await stageBytes(blobs.staging, bytes.subarray(0, 7), bytes.subarray(7));
    assert.equal(staged.sizeBytes, bytes.length);
    assert.equal(staged.sha256, createHash('sha256').update(bytes).digest('hex'));
    for (const [start, length] of [
      [0, 10],
      [5, limits.fileHeadBytes],
      [bytes.length - 3, 10],
      [bytes.length, 4],
    ] as const) {
      assert.deepEqual(await staged.read(start, length), bytes.subarray(start, start + length));
    }
    assert.deepEqual(Buffer.concat(await collect(await staged.file.stream())), bytes);
  });

  it('an empty file is a file', async () => {
    await using staged = await stageBytes(blobs.staging);
    assert.equal(staged.sizeBytes, 0);
    assert.equal((await staged.read(0, 4)).length, 0);
  });

  it('leaves nothing when disposed of, once or twice', async () => {
    const staged = await stageBytes(blobs.staging, randomBytes(200_000));
    assert.equal((await stagingFiles()).length, 1);
    await staged[Symbol.asyncDispose]();
    await staged[Symbol.asyncDispose]();
    assert.deepEqual(await stagingFiles(), []);
  });

  it('refuses a file at the first byte too many, and leaves nothing', async () => {
    const exact = await stageUpload(blobs, streamOf([Buffer.alloc(300_000)]), { bytesMax: 300_000 });
    await exact[Symbol.asyncDispose]();
    let pulled = 0;
    const endless = (async function* () {
      for (; pulled < 100; pulled++) yield Buffer.alloc(50_000);
    })();
    await assert.rejects(stageUpload(blobs, endless, { bytesMax: 300_000 }), { code: 'file_too_large' });
    assert.equal(pulled, 6);
    assert.deepEqual(await stagingFiles(), []);
  });

  it('leaves nothing when the bytes break off', async () => {
    const broken = (async function* () {
      yield Buffer.alloc(400_000);
      throw new Error('gone');
    })();
    await assert.rejects(stageUpload(blobs, broken, { bytesMax: 1_000_000 }), /gone/);
    assert.deepEqual(await stagingFiles(), []);
  });

  it('can be cleared of what a process before this one left', async () => {
    await stageBytes(blobs.staging, randomBytes(10));
    await blobs.staging.clear();
    assert.deepEqual(await stagingFiles(), []);
  });
}

function testReading(blobs: OpenBlobs): void {
  const bytes = randomBytes(limits.blobStreamBytes * 3 + 17);
  let place = '';

  before(async () => {
    place = blobs.store.placeOf(nameBlob(), null);
    await putBytes(blobs, place, bytes);
  });

  it('takes the staged file over: nothing of it stays in staging', async () => {
    assert.deepEqual(await readdir(path.join(blobs.directory, 'staging')), []);
  });

  it('tells the size', async () => assert.equal(await blobs.store.size(place), bytes.length));

  const ranges = [
    [0, bytes.length],
    [0, 1],
    [bytes.length - 1, bytes.length],
    [limits.blobStreamBytes - 1, limits.blobStreamBytes * 2 + 1],
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

  it('a stream that is left early frees what it held', async () => {
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

  it('an empty blob is kept', async () => {
    const empty = blobs.store.placeOf(nameBlob(), null);
    await putBytes(blobs, empty);
    assert.equal(await blobs.store.size(empty), 0);
  });

  it('many at once are all kept', async () => {
    const puts = Array.from({ length: 24 }, () => ({
      place: blobs.store.placeOf(nameBlob(), null),
      bytes: randomBytes(3000),
    }));
    await Promise.all(puts.map(put => putBytes(blobs, put.place, put.bytes)));
    for (const put of puts) {
      assert.ok((await blobs.store.readBytes(put.place, { start: 0, end: 3000 }))?.equals(put.bytes));
    }
  });

  it('answers that it can be used', () => blobs.store.check());
}

async function openDescriptors(): Promise<number> {
  return (await readdir('/proc/self/fd')).length;
}

function testPlaces(blobs: OpenBlobs): void {
  it('a taken place keeps what it has', async () => {
    const place = blobs.store.placeOf(nameBlob(), null);
    await putBytes(blobs, place, Buffer.from('first'));
    await assert.rejects(putBytes(blobs, place, Buffer.from('second')), { code: 'blob_exists' });
    assert.equal((await blobs.store.readBytes(place, { start: 0, end: 5 }))?.toString(), 'first');
    assert.deepEqual(await readdir(path.join(blobs.directory, 'staging')), []);
  });

  it('what is not there is null or false', async () => {
    const place = blobs.store.placeOf(nameBlob(), null);
    assert.equal(await blobs.store.size(place), null);
    assert.equal(await blobs.store.read(place, { start: 0, end: 1 }), null);
    assert.equal(await blobs.store.readBytes(place, { start: 0, end: 1 }), null);
    assert.equal(await blobs.store.delete(place), false);
    assert.equal(await blobs.store.quarantine(place, Date.now()), false);
    assert.equal(await blobs.store.restore(place), false);
    assert.equal(await blobs.store.purge(place), false);
  });

  it('a deleted blob is gone, once', async () => {
    const place = blobs.store.placeOf(nameBlob(), null);
    await putBytes(blobs, place, Buffer.from('bytes'));
    assert.equal(await blobs.store.delete(place), true);
    assert.equal(await blobs.store.size(place), null);
    assert.equal(await blobs.store.delete(place), false);
  });

  it('puts and deletions of one day do not disturb each other', async () => {
    const rounds = Array.from({ length: 40 }, async () => {
      const place = blobs.store.placeOf(nameBlob({ project: 'busy' }), null);
      await putBytes(blobs, place, Buffer.from('x'));
      assert.equal(await blobs.store.delete(place), true);
    });
    await Promise.all(rounds);
  });
}

function testNames(blobs: OpenBlobs): void {
  const names = [
    { title: 'a plain name', stem: 'cat', folder: 'clips/2024' },
    {
      title: 'signs that mean something in URLs',
      stem: 'a b+c%20d?e#f&g;h=i',
      folder: '100% real/~x!*()\'"',
    },
    { title: 'names in many scripts', stem: '猫 кот 🐈 é', folder: 'ゲーム/снимки' },
    {
      title: 'the longest path and stem',
      stem: '猫'.repeat(66),
      folder: Array(16).fill('p'.repeat(31)).join('/'),
    },
    { title: 'a name that looks like a way out', stem: '..', folder: '...' },
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

  it('names that differ in project, id or width never share a place', () => {
    const name = nameBlob({ stem: 'same' });
    const others = [{ ...name, project: 'other' }, nameBlob({ stem: 'same' })];
    const places = [name, ...others].flatMap(each =>
      [null, 320, 640].map(width => blobs.store.placeOf(each, width)),
    );
    assert.equal(new Set(places).size, places.length);
    assert.equal(blobs.store.placeOf(name, 320), blobs.store.placeOf({ ...name }, 320));
  });
}

function testListing(blobs: OpenBlobs): void {
  it('tells of every blob and variant once, in order', async () => {
    assert.deepEqual(await collect(blobs.store.list()), []);
    const expected: Partial<BlobEntry>[] = [];
    for (const project of ['default', 'default-2', 'z']) {
      for (const stem of ['b', 'a', 'ä']) {
        const name = nameBlob({ project, stem, folder: stem === 'a' ? 'f' : 'f f' });
        for (const variantWidth of [null, 640]) {
          const place = blobs.store.placeOf(name, variantWidth);
          await putBytes(blobs, place, Buffer.alloc(expected.length + 1));
          expected.push({ place, fileId: name.fileId, variantWidth, sizeBytes: expected.length + 1 });
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

function testQuarantine(blobs: OpenBlobs): void {
  it('sets aside, tells of it, brings back, purges', async () => {
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

  it('a place taken anew is not overwritten from quarantine', async () => {
    const place = blobs.store.placeOf(nameBlob(), null);
    await putBytes(blobs, place, Buffer.from('first'));
    await blobs.store.quarantine(place, Date.now());
    await putBytes(blobs, place, Buffer.from('second'));
    await assert.rejects(blobs.store.restore(place), { code: 'blob_exists' });
    assert.equal((await blobs.store.readBytes(place, { start: 0, end: 6 }))?.toString(), 'second');
  });
}

/** Stages the same bytes anew for every call. */
export function useStaged(bytes: Buffer): () => Promise<StagedFile> {
  let directory = '';
  let staging: Staging;
  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'blobs-'));
    staging = await openStagingIn(directory);
  });
  after(() => rm(directory, { recursive: true, force: true }));
  return () => stageBytes(staging, bytes);
}

export const openStagingIn = (directory: string): Promise<Staging> =>
  openStaging(path.join(directory, 'staging'));
