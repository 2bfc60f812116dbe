/** Tests the disk store on a full file system and under strace. Needs strace, and root to mount. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { collect, nameBlob, openStagingIn, stageBytes } from '../tests/conformance/openBlobs.ts';
import type { BlobStore, Staging } from './blobStore.ts';
import { openDiskBlobs } from './disk.ts';
import { openDiskReserve } from './reserve.ts';

const mebibyte = 1024 * 1024;

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
  return stdout;
}

const fileSystems = [
  { title: 'no more blocks', options: 'size=8m' },
  { title: 'no more inodes', options: 'size=64m,nr_inodes=24' },
];
for (const { title, options } of fileSystems) {
  describe(`A full disk: ${title}`, () => {
    let directory = '';
    let store: BlobStore;
    let staging: Staging;
    before(async () => {
      directory = await mkdtemp(path.join(tmpdir(), 'blobs-'));
    });
    beforeEach(async () => {
      run('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', directory);
      store = await openDiskBlobs({ directory, now: Date.now });
      staging = await openStagingIn(directory);
    });
    afterEach(() => run('umount', directory));
    after(() => rm(directory, { recursive: true }));

    const put = async (bytes: Buffer) => {
      const place = store.placeOf(nameBlob(), null);
      await using staged = await stageBytes(staging, bytes);
      await store.put(place, staged, 'image/png');
      return place;
    };

    /** Puts blobs until the disk is full and returns the acknowledged places. */
    const fill = async (bytes: Buffer): Promise<string[]> => {
      const places: string[] = [];
      for (;;) {
        const results = await Promise.allSettled([put(bytes), put(bytes), put(bytes), put(bytes)]);
        for (const result of results) {
          if (result.status === 'fulfilled') places.push(result.value);
          else assert.equal(result.reason.code, 'disk_full', String(result.reason));
        }
        if (results.every(({ status }) => status === 'rejected')) return places;
      }
    };

    it('refuses a file that does not fit, keeps the earlier ones, and leaves nothing in staging', async () => {
      const bytes = randomBytes(mebibyte);
      const places = await fill(bytes);
      assert.ok(places.length > 1);
      assert.deepEqual(await readdir(path.join(directory, 'staging')), []);
      for (const place of places) {
        assert.ok((await store.readBytes(place, { start: 0, end: bytes.length }))?.equals(bytes));
      }
      for (const { sizeBytes } of await collect(store.list())) assert.equal(sizeBytes, bytes.length);
    });

    it('deletes when full, and then takes more', async () => {
      const bytes = randomBytes(mebibyte);
      for (let round = 0; round < 3; round++) {
        for (const { place } of await collect(store.list())) assert.equal(await store.delete(place), true);
        assert.ok((await fill(bytes)).length > 1, 'the room of what was deleted is free again');
      }
    });
  });
}

describe('A full disk: the reserve', () => {
  it('is released for deletions, and refilled only when there is plenty of room', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'blobs-'));
    run('mount', '-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', directory);
    try {
      const reserve = await openDiskReserve(directory, { sizeBytes: mebibyte, ampleBytes: 2 ** 60 });
      assert.equal(await reserve.refill(), true);
      const staging = await openStagingIn(directory);
      await using filling = await stageBytes(staging, Buffer.alloc(14 * mebibyte));
      await assert.rejects(stageBytes(staging, Buffer.alloc(2 * mebibyte)), { code: 'disk_full' });
      assert.equal(await reserve.release(), true);
      assert.equal(await reserve.refill(), false);
      assert.equal(await reserve.release(), true, 'a look at the full disk has given nothing up');
      while (await reserve.release());
      const { bavail, bsize } = await statfs(directory);
      assert.ok(bavail * bsize >= mebibyte);
      assert.equal(await reserve.refill(), false);
      await filling[Symbol.asyncDispose]();
      assert.equal(await reserve.refill(), true);
    } finally {
      run('umount', directory);
      await rm(directory, { recursive: true });
    }
  });
});

describe('disk operations', () => {
  const trace = async (action: string): Promise<string[]> => {
    const directory = await mkdtemp(path.join(tmpdir(), 'blobs-'));
    try {
      return traceIn(directory, action);
    } finally {
      await rm(directory, { recursive: true });
    }
  };

  /** Returns the system calls between the child's two words, without details that vary between runs. */
  const traceIn = (directory: string, action: string): string[] => {
    const child = fileURLToPath(new URL('../tests/conformance/tracedChild.ts', import.meta.url));
    const log = path.join(directory, 'trace');
    const calls = 'trace=fdatasync,fsync,rename,renameat2,unlink,mkdir,write';
    run('strace', '-f', '-y', '-qq', '-o', log, '-e', calls, process.execPath, child, directory, action);
    const lines = run('cat', log).split('\n');
    const [start, end] = ['begin', 'acknowledged'].map(word =>
      lines.findIndex(line => line.includes(`"${word}`)),
    );
    return lines
      .slice((start ?? 0) + 1, end)
      .filter(line => line.includes(directory) && !line.includes('resumed'))
      .map(line => line.replaceAll(directory, '').replace(/^\d+ +/, ''))
      .map(line => line.replace(/staging\/[0-9A-Za-z]+/g, 'staging/…').replace(/ *(= 0|<unfinished.*)$/, ''));
  };

  it('a put syncs the file, moves it and syncs every changed directory before it answers', async () => {
    const calls = await trace('put');
    const indexOf = (pattern: RegExp) => {
      const index = calls.findIndex(call => pattern.test(call));
      assert.notEqual(index, -1, `${pattern} in\n${calls.join('\n')}`);
      return index;
    };
    const moved = indexOf(/^rename\("\/staging\/…", "\/files\/default\/2024-02-29\/\w+\.png"\)/);
    assert.ok(indexOf(/^fdatasync\(\d+<\/staging\/…>\)/) < moved);
    assert.ok(indexOf(/^mkdir\("\/files\/default"/) < indexOf(/^fsync\(\d+<\/files>\)/));
    assert.ok(indexOf(/^mkdir\("\/files\/default\/2024-02-29"/) < indexOf(/^fsync\(\d+<\/files\/default>\)/));
    assert.ok(moved < indexOf(/^fsync\(\d+<\/files\/default\/2024-02-29>\)/));
  });

  it('a deletion syncs its directory before it answers', async () => {
    assert.deepEqual(
      (await trace('delete')).map(call =>
        call.replace(/\w{20}|\d+</g, match => (match.endsWith('<') ? '<' : 'ID')),
      ),
      ['unlink("/files/default/2024-02-29/ID.png")', 'fsync(</files/default/2024-02-29>)'],
    );
  });
});
