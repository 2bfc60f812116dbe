/** Cases that every staging must pass, for any store. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';
import { stagingAppendBytesMax } from '../../src/staging.ts';
import { collect, type OpenBlobs, refuseBytes, stageBytes, streamOf } from './openBlobs.ts';

export function testStaging(blobs: OpenBlobs): void {
  const stagingFiles = () => readdir(path.join(blobs.directory, 'staging'));

  it('returns size and hash, and reads any part, from memory or disk', async () => {
    const bytes = randomBytes(stagingAppendBytesMax * 2 + 5);
    await using staged = await stageBytes(blobs.staging, bytes.subarray(0, 7), bytes.subarray(7));
    assert.equal(staged.sizeBytes, bytes.length);
    assert.equal(staged.sha256, createHash('sha256').update(bytes).digest('hex'));
    for (const [start, length] of [
      [0, 10],
      [5, stagingAppendBytesMax],
      [bytes.length - 3, 10],
      [bytes.length, 4],
    ] as const) {
      assert.deepEqual(await staged.read(start, length), bytes.subarray(start, start + length));
    }
    assert.deepEqual(Buffer.concat(await collect(await staged.file.stream())), bytes);
  });

  it('stages an empty file', async () => {
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
    const limit = { bytesMax: 300_000, refuse: refuseBytes };
    const exact = await blobs.staging.stage(streamOf([Buffer.alloc(300_000)]), limit);
    await exact[Symbol.asyncDispose]();
    let pulled = 0;
    const endless = (async function* () {
      for (; pulled < 100; pulled++) yield Buffer.alloc(50_000);
    })();
    await assert.rejects(blobs.staging.stage(endless, limit), refuseBytes());
    assert.equal(pulled, 6);
    assert.deepEqual(await stagingFiles(), []);
  });

  it('leaves nothing when the bytes break off', async () => {
    const broken = (async function* () {
      yield Buffer.alloc(400_000);
      throw new Error('gone');
    })();
    await assert.rejects(blobs.staging.stage(broken, { bytesMax: 1_000_000, refuse: refuseBytes }), /gone/);
    assert.deepEqual(await stagingFiles(), []);
  });
}
