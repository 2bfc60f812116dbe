/** Tests the S3 store on a real S3 engine, OpenStack Swift. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { inspect } from 'node:util';
import { startSwift } from '../../../scripts/engines/swift.ts';
import { collect, nameBlob, openStagingIn, useStaged } from '../tests/conformance/openBlobs.ts';
import { testConformance } from '../tests/conformance.ts';
import { type Fault, type FaultyProxy, startFaultyProxy } from '../tests/faultyProxy.ts';
import type { BlobStore } from './blobStore.ts';
import { S3Client } from './s3/client.ts';
import { type S3Config, type S3Timeouts, s3Timeouts } from './s3/connection.ts';
import { openJournalObjects } from './s3/objects.ts';
import { openS3Blobs } from './s3.ts';

async function makeBucket(): Promise<S3Config> {
  const config = { ...engine, bucket: `b-${randomBytes(6).toString('hex')}`, forcePathStyle: true };
  const client = new S3Client(config);
  await client.call({ method: 'PUT', key: '' });
  client.close();
  return config;
}

async function* streamOfNothing(): AsyncGenerator<Buffer> {}

const engine = await startSwift();
after(() => engine[Symbol.asyncDispose]());

testConformance({
  title: 'S3',
  open: async directory => {
    // Allows few reads, so that a reader that doesn't release its slot is found out.
    const store = openS3Blobs(await makeBucket(), { ...s3Timeouts, readsMax: 2, waitMsMax: 10_000 });
    return { store, staging: await openStagingIn(directory) };
  },
});

describe('journal objects', () => {
  it('are stored whole, listed by name, and removed on deletion', async () => {
    const config = await makeBucket();
    await using objects = openJournalObjects(config);
    const bytes = [randomBytes(3_000_000), Buffer.from('two')] as const;
    await objects.put('b', bytes[1]);
    await objects.put('a', bytes[0]);
    await objects.put('a', bytes[0]);
    assert.deepEqual(await collect(objects.list('')), ['a', 'b']);
    assert.ok((await objects.read('a'))?.equals(bytes[0]));
    assert.equal(await objects.read('c'), null);
    for (let time = 0; time < 2; time++) await objects.remove('a');
    assert.equal(await objects.read('a'), null);
    await objects.put('notes/c', Buffer.from('thrée'));
    assert.deepEqual(await collect(objects.list('')), ['b', 'notes/c']);
    assert.deepEqual(await collect(objects.list('notes/')), ['notes/c']);
    assert.equal(String(await objects.read('notes/c')), 'thrée');
    await objects.check();
  });

  it('are not blobs: no sweep of blobs lists them', async () => {
    const config = await makeBucket();
    await using objects = openJournalObjects(config);
    await objects.put('0000000000000001-a', Buffer.from('entries'));
    await using blobs = openS3Blobs(config);
    assert.deepEqual(await collect(blobs.list()), []);
  });

  it('are refused in time when the server does not respond', async () => {
    await using objects = openJournalObjects({
      ...engine,
      bucket: 'b',
      forcePathStyle: true,
      endpoint: 'http://127.0.0.1:9',
    });
    await assert.rejects(objects.put('a', Buffer.from('a')), { code: 'blobs_unavailable' });
    await assert.rejects(objects.check(), { code: 'blobs_unavailable' });
  });
});

describe('copies larger than S3 copies at once', () => {
  const large = randomBytes(12 * 1024 * 1024);
  const staged = useStaged(large);

  it('are made in parts, with the original bytes, and original or new headers', async () => {
    const config = await makeBucket();
    // The smallest part size that S3 accepts.
    await using blobs = openS3Blobs(config, { ...s3Timeouts, copyBytesMax: 5 * 1024 * 1024 });
    const name = nameBlob();
    const place = blobs.placeOf(name, null);
    const hidden = blobs.placeOf({ ...name, secret: 'S'.repeat(20) }, null);
    {
      await using file = await staged();
      await blobs.put(place, file, 'video/mp4');
    }
    assert.equal(await blobs.copy(place, hidden, 'video/mp4'), true);
    await blobs.delete(place);
    assert.equal(await blobs.copy(hidden, place, 'video/mp4'), true);
    assert.equal(await blobs.quarantine(place, Date.now()), true);
    assert.equal(await blobs.restore(place), true);
    const range = { start: 0, end: large.length };
    for (const one of [hidden, place]) {
      const read = Buffer.concat(await collect<Buffer>((await blobs.read(one, range)) ?? streamOfNothing()));
      assert.ok(read.equals(large));
    }
    const client = new S3Client(config);
    const { headers } = await client.call({ method: 'HEAD', key: place });
    assert.equal(headers['content-type'], 'video/mp4');
    const complete = await client.call({ method: 'HEAD', key: hidden });
    // Only an object that was joined from parts has such a tag.
    assert.match(complete.headers.etag ?? '', /-3"?$/);
    client.close();
    assert.equal(await blobs.copy(blobs.placeOf(nameBlob(), null), place, 'video/mp4'), false);
  });
});

describe('S3 failures', () => {
  const quick: S3Timeouts = {
    ...s3Timeouts,
    backoffMs: 5,
    connectMsMax: 500,
    idleMsMax: 300,
    callMsMax: 5_000,
  };
  const bytes = randomBytes(900_000);
  const staged = useStaged(bytes);
  let proxy: FaultyProxy;
  let config: S3Config;
  let store: BlobStore;

  before(async () => {
    proxy = await startFaultyProxy(engine.endpoint);
    config = { ...(await makeBucket()), endpoint: proxy.endpoint };
    store = openS3Blobs(config, quick);
  });
  after(async () => {
    await store[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
  });

  beforeEach(() => proxy.plan('', []));

  const newPlace = () => store.placeOf(nameBlob(), null);
  const putStaged = async (place: string) => {
    await using file = await staged();
    await store.put(place, file, 'image/png');
  };
  const readAll = async (place: string) => {
    const stream = await store.read(place, { start: 0, end: bytes.length });
    return Buffer.concat(await collect<Buffer>(stream ?? streamOfNothing()));
  };

  const passing: Fault[][] = [
    ['answer 500', 'answer 503'],
    ['never answer'],
    ['cut before the answer', 'answer 500', 'cut before the answer'],
  ];
  for (const faults of passing) {
    it(`a PUT rides out: ${faults.join(', ')}`, async () => {
      const place = newPlace();
      proxy.plan('PUT', faults);
      await putStaged(place);
      assert.ok((await readAll(place)).equals(bytes));
    });
  }

  const lasting: { fault: Fault; code: string; attempts: number }[] = [
    { fault: 'answer 500', code: 'blobs_unavailable', attempts: 4 },
    { fault: 'never answer', code: 'blobs_unavailable', attempts: 4 },
    { fault: 'cut before the answer', code: 'blobs_unavailable', attempts: 4 },
    { fault: 'answer 507', code: 'disk_full', attempts: 1 },
  ];
  for (const { fault, code, attempts } of lasting) {
    it(`a PUT gives up after ${attempts} when S3 continues to ${fault}, and leaves nothing`, async () => {
      const place = newPlace();
      proxy.plan('PUT', [], fault);
      await assert.rejects(putStaged(place), { code });
      assert.equal(proxy.seen.filter(method => method === 'PUT').length, attempts);
      assert.equal(await store.size(place), null);
    });
  }

  it('limits the time of all attempts together', async () => {
    await using impatient = openS3Blobs(config, { ...quick, idleMsMax: 60_000, callMsMax: 400 });
    proxy.plan('HEAD', [], 'never answer');
    const before = performance.now();
    await assert.rejects(impatient.size(newPlace()), { code: 'blobs_unavailable', retryAfterSeconds: 5 });
    assert.ok(performance.now() - before < 2_000);
  });

  const cuts: Fault[][] = [
    ['answer 500'],
    ['cut in mid-answer'],
    ['stop in mid-answer'],
    ['cut in mid-answer', 'answer 503', 'cut in mid-answer'],
  ];
  for (const faults of cuts) {
    it(`a stream continues after: ${faults.join(', ')}`, async () => {
      const place = newPlace();
      await putStaged(place);
      proxy.plan('GET', faults);
      assert.ok((await readAll(place)).equals(bytes));
    });
  }

  it('a stream that cannot continue fails instead of ending early', async () => {
    const place = newPlace();
    await putStaged(place);
    proxy.plan('GET', ['cut in mid-answer'], 'answer 500');
    await assert.rejects(readAll(place), { code: 'blobs_unavailable' });
  });

  it('detects each time that a store ignores ranges', async () => {
    const place = newPlace();
    await putStaged(place);
    await using narrow = openS3Blobs(config, { ...quick, readsMax: 2 });
    proxy.plan('GET', [], 'ignore the range');
    const refusal = { code: 'blobs_unavailable', message: 'The file store does not support ranges.' };
    for (let round = 0; round < 4; round++)
      await assert.rejects(narrow.readBytes(place, { start: 5, end: 9 }), refusal);
  });

  it('waits for a slow reader longer than for a silent server', async () => {
    const place = newPlace();
    await putStaged(place);
    proxy.plan('', []);
    let read = 0;
    for await (const chunk of (await store.read(place, { start: 0, end: bytes.length })) ?? []) {
      const readsOnAt = performance.now() + (read === 0 ? quick.idleMsMax * 2 : 0);
      while (performance.now() < readsOnAt) await wait(10);
      read += chunk.length;
    }
    assert.equal(read, bytes.length);
    assert.deepEqual(proxy.seen, ['GET']);
  });

  it('a reader that leaves ends the exchange with S3 at once', async () => {
    const place = newPlace();
    await putStaged(place);
    await using alone = openS3Blobs(config, { ...quick, idleMsMax: 60_000 });
    proxy.plan('GET', [], 'stop in mid-answer');
    const open = proxy.openConnections();
    const stream = await alone.read(place, { start: 0, end: bytes.length });
    stream?.resume();
    await once(stream ?? new Readable(), 'data');
    stream?.destroy();
    while (proxy.openConnections() > open) await wait(10); // the runner's time limit ends this if the condition never holds
  });

  it('stays within its limit of concurrent requests and reports when it is busy', async () => {
    await using narrow = openS3Blobs(config, { ...quick, callsMax: 5, idleMsMax: 10_000, callMsMax: 20_000 });
    // While these run, all other requests that can still arrive do.
    proxy.plan('HEAD', ['answer slowly', 'answer slowly', 'answer slowly']);
    await Promise.all(Array.from({ length: 20 }, () => narrow.size(newPlace())));
    assert.equal(proxy.inFlightMax(), 3, 'one project leaves room for others');
    await using busy = openS3Blobs(config, { ...quick, callsMax: 1, waitMsMax: 50 });
    proxy.plan('HEAD', ['never answer']);
    const first = busy.size(newPlace());
    await assert.rejects(busy.size(newPlace()), { code: 'overloaded', retryAfterSeconds: 5 });
    assert.equal(await first, null);
  });

  const misconfigurations = [
    { title: 'a wrong secret', change: { secretAccessKey: 'wrong' }, says: /S3 answered 403/ },
    { title: 'a bucket that does not exist', change: { bucket: 'missing' }, says: /S3 answered 404/ },
  ];
  for (const { title, change, says } of misconfigurations) {
    it(`${title} fails at once, with a reason for the log`, async () => {
      await using wrong = openS3Blobs({ ...config, ...change }, quick);
      const error: unknown = await wrong.check().catch(error => error);
      assert.match(inspect(error, { depth: 9 }), says);
      assert.doesNotMatch(inspect(error, { depth: 9 }), /wrong|testing/);
      // No retries. The GET asks for the reason, which S3 doesn't give in reply to a HEAD.
      assert.deepEqual(proxy.seen, ['HEAD', 'GET']);
    });
  }

  it('reports in time that no server listens', async () => {
    await using nowhere = openS3Blobs({ ...config, endpoint: 'http://127.0.0.1:9' }, quick);
    await assert.rejects(nowhere.check(), { code: 'blobs_unavailable' });
    await assert.rejects(nowhere.size(newPlace()), { code: 'blobs_unavailable' });
  });
});
