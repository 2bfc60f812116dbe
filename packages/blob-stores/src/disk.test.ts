/** Tests the disk store, including failures that only a file system can cause. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import fs, { readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openDirectorySync } from '@tapedeck/durable-files';
import {
  collect,
  nameBlob,
  openStagingIn,
  putBytes,
  streamOf,
  useBlobs,
} from '../tests/conformance/openBlobs.ts';
import { testConformance } from '../tests/conformance.ts';
import { openDiskBlobs } from './disk.ts';
import { DiskPartials } from './diskPartials.ts';
import { DiskTree } from './diskTree.ts';
import { openDiskReserve } from './reserve.ts';
import { openStaging } from './staging.ts';

const openDisk = async (directory: string) => ({
  store: await openDiskBlobs({ directory, now: Date.now }),
  staging: await openStagingIn(directory),
});

testConformance({ title: 'Disk', open: openDisk });

describe('Disk: links planted in the data directory', () => {
  const blobs = useBlobs(openDisk);
  const secret = 'not for the public';
  const whole = { start: 0, end: secret.length };

  /** Makes a place whose file, day or project is a link into a directory that holds a file of that name. */
  async function plant(level: 'file' | 'day' | 'project'): Promise<{ place: string; outside: string }> {
    const place = blobs.store.placeOf(nameBlob({ project: `p-${level}` }), null);
    const [project = '', day = '', file = ''] = place.split('/');
    const outside = await mkdtemp(path.join(blobs.directory, 'outside-'));
    const parts = { file: [file], day: [day, file], project: [project, day, file] }[level];
    await mkdir(path.join(outside, ...parts.slice(0, -1)), { recursive: true });
    await writeFile(path.join(outside, ...parts), secret);
    const link = { file: [project, day, file], day: [project, day], project: [project] }[level];
    const at = path.join(blobs.directory, 'files', ...link);
    await mkdir(path.dirname(at), { recursive: true });
    await symlink(path.join(outside, parts[0] ?? ''), at);
    return { place, outside: path.join(outside, ...parts) };
  }

  it('does not read, move or write through a link in place of a file', async () => {
    const { place, outside } = await plant('file');
    assert.equal(await blobs.store.size(place), null);
    assert.equal(await blobs.store.read(place, whole), null);
    assert.equal(await blobs.store.readBytes(place, whole), null);
    assert.equal(await blobs.store.quarantine(place, Date.now()), false);
    await assert.rejects(putBytes(blobs, place, Buffer.from('new')), { code: 'blob_exists' });
    assert.equal(await readFile(outside, 'utf8'), secret);
  });

  for (const level of ['day', 'project'] as const) {
    it(`every call refuses a link in place of a ${level}`, async () => {
      const { place, outside } = await plant(level);
      const calls = [
        () => blobs.store.size(place),
        () => blobs.store.read(place, whole),
        () => blobs.store.readBytes(place, whole),
        () => blobs.store.delete(place),
        () => blobs.store.quarantine(place, Date.now()),
        () => putBytes(blobs, place, Buffer.from('new')),
      ];
      for (const call of calls) await assert.rejects(async () => call(), { code: 'blobs_unavailable' });
      assert.equal(await readFile(outside, 'utf8'), secret);
    });
  }

  it('listing reports links and foreign files and does not follow them', async () => {
    await writeFile(path.join(blobs.directory, 'files', 'stray'), 'stray');
    const listed = await collect(blobs.store.list());
    assert.equal(listed.length, 4);
    for (const { fileId } of listed) assert.equal(fileId, null);
  });

  it('rejects a tree that is a link', async () => {
    const directory = await mkdtemp(path.join(blobs.directory, 'moved-'));
    const { store, staging } = await openDisk(directory);
    const place = store.placeOf(nameBlob(), null);
    await putBytes({ store, staging, directory }, place, Buffer.from('x'));
    await rename(path.join(directory, 'files'), path.join(directory, 'elsewhere'));
    await symlink('elsewhere', path.join(directory, 'files'));
    await assert.rejects(store.size(place), { code: 'blobs_unavailable' });
  });

  it('rejects a staging directory that is a link', async () => {
    const directory = path.join(blobs.directory, 'link');
    await symlink(tmpdir(), directory);
    await assert.rejects(openStaging(directory), /not a link/);
  });
});

describe('Disk: places', () => {
  const blobs = useBlobs(openDisk);
  const foreign = [
    '',
    '/etc/passwd',
    '../x',
    'default/../../x',
    'default/2024-01-01/..',
    'default/2024-01-01/a/b',
    'a\0b',
  ];
  for (const place of foreign) {
    it(`${JSON.stringify(place)} is not a place`, async () => {
      await assert.rejects(async () => blobs.store.size(place), /is not a place on disk/);
      await assert.rejects(async () => blobs.store.delete(place), /is not a place on disk/);
      await assert.rejects(putBytes(blobs, place, Buffer.from('x')), /is not a place on disk/);
    });
  }

  it('contain nothing that a client chose', () => {
    const name = nameBlob({ stem: '../../étc', folder: 'a/b' });
    assert.equal(blobs.store.placeOf(name, null), `default/2024-02-29/${name.fileId}.png`);
    assert.equal(blobs.store.placeOf(name, 'w320.webp'), `default/2024-02-29/${name.fileId}.w320.webp`);
  });

  it('removes the directory of a past day with its last file', async () => {
    const places = [nameBlob(), nameBlob()].map(name => blobs.store.placeOf(name, null));
    for (const place of places) await putBytes(blobs, place, Buffer.from('x'));
    const days = () => readdir(path.join(blobs.directory, 'files', 'default'));
    assert.deepEqual(await days(), ['2024-02-29']);
    for (const place of places) await blobs.store.delete(place);
    assert.deepEqual(await days(), []);
    const today = blobs.store.placeOf(nameBlob({ createdAt: Date.now() }), null);
    await putBytes(blobs, today, Buffer.from('x'));
    await blobs.store.delete(today);
    assert.equal((await days()).length, 1);
  });
});

describe('Disk: syncing directories', () => {
  it('one sync serves all waiting callers, but none that began after it', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'blobs-'));
    const sync = openDirectorySync();
    const first = sync(directory);
    const second = sync(directory);
    const third = sync(directory);
    assert.notEqual(first, second);
    assert.equal(second, third);
    await Promise.all([first, second]);
    await rm(directory, { recursive: true });
    await sync(directory); // the parent directory records the deletion
  });
});

describe('Disk: a sync that fails', () => {
  const blobs = useBlobs(openDisk);
  const upload = { name: 'p'.repeat(20), sizeBytes: 0 };

  it('reports nothing of it as stored, even if the next sync would succeed', async t => {
    const { fdatasync } = fs;
    let isFailing = true;
    t.mock.method(fs, 'fdatasync', (descriptor: number, done: (error: Error | null) => void) => {
      if (!isFailing || !readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(blobs.directory))
        return fdatasync(descriptor, done);
      isFailing = false;
      done(Object.assign(new Error('EIO: made by the test'), { code: 'EIO' }));
    });
    const told: number[] = [];
    const tellKept = async (sizeBytes: number) => void told.push(sizeBytes);
    const append = () =>
      blobs.store.openPartials(blobs.staging).append(upload, {
        chunks: streamOf([Buffer.alloc(1000, 1)]),
        reportStored: tellKept,
        isOnTrial: false,
      });
    await assert.rejects(append(), { code: 'blobs_unavailable' });
    assert.deepEqual({ isFailing, told }, { isFailing: false, told: [] });
    await append();
    assert.deepEqual(told, [1000]);
  });

  it('is repeated for the name before the first bytes are reported as stored', async () => {
    const directory = path.join(blobs.directory, 'partial');
    const synced: string[] = [];
    const syncDirectory = async (at: string) => {
      synced.push(at);
      if (synced.length === 1) throw new Error('EIO: made by the test');
    };
    const files = new DiskTree(path.join(blobs.directory, 'files'), syncDirectory);
    const partials = new DiskPartials({ directory, files, syncDirectory });
    const chunks = () => streamOf([Buffer.alloc(1000, 1)]);
    const append = () =>
      partials.append(
        { ...upload, name: 'q'.repeat(20) },
        { chunks: chunks(), reportStored: async () => {}, isOnTrial: false },
      );
    await assert.rejects(append(), /EIO/);
    await append();
    assert.deepEqual(synced, [directory, directory]);
  });
});

describe('Disk: crashes', () => {
  it('a kill during puts keeps everything acknowledged, and whole blobs only', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'blobs-'));
    try {
      for (let round = 1; round <= 3; round++) {
        const acknowledged = await putUntilKilled(directory, 20 * round);
        const { store } = await openDisk(directory);
        const listed = new Map((await collect(store.list())).map(entry => [entry.place, entry]));
        for (const place of acknowledged) assert.ok(listed.has(place), `${place} was acknowledged`);
        for (const { place, sizeBytes } of listed.values()) {
          const bytes = await store.readBytes(place, { start: 0, end: sizeBytes });
          assert.ok(bytes?.equals(Buffer.alloc(50_000, place)), `${place} is not whole`);
        }
      }
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

/** Kills a child after it acknowledged so many places, and returns those places. */
async function putUntilKilled(directory: string, count: number): Promise<string[]> {
  const child = fork(fileURLToPath(new URL('../tests/conformance/puttingChild.ts', import.meta.url)), [
    directory,
  ]);
  const acknowledged: string[] = [];
  child.on('message', place => {
    acknowledged.push(String(place));
    if (acknowledged.length === count) child.kill('SIGKILL');
  });
  await once(child, 'exit');
  assert.ok(acknowledged.length >= count);
  return acknowledged;
}

describe('Disk: the reserve', () => {
  it('occupies nothing while the disk has ample space, and something as soon as it has not', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'blobs-'));
    const ample = await openDiskReserve(directory, { sizeBytes: 1_000_000, ampleBytes: 1 });
    assert.equal(await ample.refill(), true);
    assert.deepEqual(await readdir(directory), []);
    assert.equal(await ample.release(), false);
    const short = await openDiskReserve(directory, { sizeBytes: 1_000_000, ampleBytes: 2 ** 60 });
    assert.equal(await short.refill(), true);
    assert.deepEqual(await readdir(directory), ['reserve']);
    assert.equal(await ample.release(), true, 'what is there is used');
    await rm(directory, { recursive: true });
  });

  it('occupies real space, releases it in pieces, and occupies it again', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'blobs-'));
    const reserve = await openDiskReserve(directory, { sizeBytes: 1_000_000, ampleBytes: 2 ** 60 });
    assert.equal(await reserve.release(), false);
    assert.deepEqual(await Promise.all([reserve.refill(), reserve.refill()]), [true, true]);
    const { size, blocks } = await stat(path.join(directory, 'reserve'));
    assert.equal(size, 1_000_000);
    assert.ok(blocks * 512 >= size, 'a hole reserves nothing');
    assert.equal(await reserve.release(), true);
    assert.equal((await stat(path.join(directory, 'reserve'))).size, 1_000_000 - 128 * 1024);
    let pieces = 1;
    while (await reserve.release()) pieces += 1;
    assert.equal(pieces, 8);
    assert.equal(await reserve.refill(), true);
    assert.equal((await stat(path.join(directory, 'reserve'))).size, 1_000_000);
    await rm(directory, { recursive: true });
  });
});
