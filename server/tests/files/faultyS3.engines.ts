/** A whole service whose S3 fails, is slow or stays silent: what clients get, and what stays stored. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, beforeEach, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openS3Blobs, S3Client, s3Timeouts } from '@tapedeck/blob-stores';
import { startFaultyProxy } from '@tapedeck/blob-stores/faulty-proxy';
import { startSwift } from '../../../scripts/engines/swift.ts';
import { describeRefusal } from '../support/client.ts';
import { compose, describeAnswer, talk } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';
import {
  formOf,
  listTraces,
  makePicture,
  mediaEnvironment,
  mediaToken,
  pathOf,
  readUploaded,
  readUsage,
  sendForm,
  uploadFile,
} from '../support/uploading.ts';

const gaveUpMsMax = 30_000; // clients wait no longer than this

await using opened = new AsyncDisposableStack();
const engine = opened.use(await startSwift());
const bucket = `b-${randomBytes(6).toString('hex')}`;
const direct = { ...engine, bucket, forcePathStyle: true };
const client = new S3Client(direct);
await client.call({ method: 'PUT', key: '' });
client.close();
/** Bypasses the proxy. */
const blobs = opened.use(openS3Blobs(direct));
const proxy = opened.use(await startFaultyProxy(engine.endpoint));
const service = opened.use(
  await startTestService({
    environment: {
      ...mediaEnvironment,
      TAPEDECK_S3_BUCKET: bucket,
      TAPEDECK_S3_ENDPOINT: proxy.endpoint,
      TAPEDECK_S3_REGION: engine.region,
      TAPEDECK_S3_ACCESS_KEY_ID: engine.accessKeyId,
      TAPEDECK_S3_SECRET_ACCESS_KEY: engine.secretAccessKey,
      TAPEDECK_S3_FORCE_PATH_STYLE: 'true',
    },
  }),
);
const cleanUp = opened.move();
after(() => cleanUp.disposeAsync());

const bytes = Buffer.concat([await makePicture(), randomBytes(200_000)]);
/** More than one read takes in. */
const long = Buffer.concat([bytes, randomBytes(2_000_000)]);
beforeEach(() => proxy.plan('', []));

async function readFile(url: string): Promise<Buffer> {
  const response = await service.fetch(pathOf(url));
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

async function countObjects(): Promise<number> {
  let count = 0;
  for await (const _ of blobs.list()) count += 1;
  return count;
}

/** Requires a refusal in time with a Retry-After, and nothing left behind. */
async function requireRefused(send: () => Promise<Response>): Promise<void> {
  const before = { usage: await readUsage(service), objects: await countObjects() };
  const startedAt = performance.now();
  const response = await send();
  assert.ok(performance.now() - startedAt < gaveUpMsMax);
  assert.ok(Number(response.headers.get('retry-after')) > 0);
  assert.equal(await describeRefusal(response), '503 blobs_unavailable');
  assert.deepEqual({ usage: await readUsage(service), objects: await countObjects() }, before);
  assert.deepEqual((await listTraces(service)).staging, []);
}

async function requireGoingOn(): Promise<void> {
  for (const route of ['/healthz', '/api/v3/file', '/api/v3/file/presigned-url']) {
    const response = await service.fetch(route, { headers: { authorization: mediaToken } });
    assert.equal(response.status, 200, route);
  }
}

describe('uploads', () => {
  for (const fault of ['answer 500', 'answer slowly', 'cut before the answer'] as const) {
    it(`survive one fault of S3: ${fault}`, async () => {
      proxy.plan('PUT', [fault]);
      const { url } = await uploadFile(service, bytes);
      assert.ok((await readFile(url)).equals(bytes));
    });
  }

  for (const fault of ['answer 500', 'cut before the answer', 'never answer'] as const) {
    it(`are rejected, and leave nothing behind, while S3 has this fault: ${fault}`, async () => {
      proxy.plan('PUT', [], fault);
      await requireRefused(() => sendForm(service, formOf(bytes)));
      await requireGoingOn();
    });
  }

  it('by presigned URL can be retried with the same URL', async () => {
    const response = await service.fetch('/api/v3/file/presigned-url', {
      headers: { authorization: mediaToken },
    });
    const { data } = (await response.json()) as { data: { presignedUrl: string } };
    const send = () => sendForm(service, formOf(bytes), { route: pathOf(data.presignedUrl), token: '' });
    proxy.plan('PUT', [], 'answer 500');
    await requireRefused(send);
    proxy.plan('', []);
    await readUploaded(await send());
  });

  it('fail on a full S3 as on a full disk', async () => {
    proxy.plan('PUT', [], 'answer 507');
    assert.equal(await describeRefusal(await sendForm(service, formOf(bytes))), '507 disk_full');
  });
});

describe('reading', () => {
  it('continues where S3 cut it off', async () => {
    const { url } = await uploadFile(service, bytes);
    proxy.plan('GET', ['cut in mid-answer', 'answer 503', 'stop in mid-answer']);
    assert.ok((await readFile(url)).equals(bytes));
  });

  it('fails before the first byte, or breaks off visibly after it', async () => {
    const { url } = await uploadFile(service, long);
    proxy.plan('GET', [], 'answer 500');
    const refused = await service.fetch(pathOf(url));
    assert.equal(await describeRefusal(refused), '503 blobs_unavailable');
    assert.equal(refused.headers.get('cache-control'), 'no-store');
    assert.equal(refused.headers.get('content-disposition'), null);
    proxy.plan('GET', ['stop in mid-answer'], 'answer 500');
    const begun = await service.fetch(pathOf(url));
    assert.equal(begun.status, 200);
    await assert.rejects(begun.arrayBuffer());
    proxy.plan('', []);
    assert.ok((await readFile(url)).equals(long));
  });
});

it('a small uncached file: a condition needs no bytes, and one attempt fails all readers', async () => {
  const { url } = await uploadFile(service, bytes.subarray(0, -150_000));
  const path = pathOf(url);
  const request = (headers: Record<string, string>) =>
    talk(service.url, [compose(`GET ${path}`, headers)], { answersMax: 1 });
  proxy.plan('GET', [], 'answer 500');
  assert.equal((await request({ 'If-None-Match': '*' })).answers[0]?.status, 304);
  assert.equal(proxy.seen.length, 0);
  const refused = await Promise.all(Array.from({ length: 5 }, () => request({})));
  for (const { answers } of refused) assert.equal(describeAnswer(answers[0]!), '503 blobs_unavailable');
  assert.ok(proxy.seen.length <= s3Timeouts.attemptsMax, `S3 received ${proxy.seen.length} requests`);
  proxy.plan('', []);
  assert.equal((await request({})).answers[0]?.status, 200);
});

it('acknowledges a deletion while S3 is down, and removes the bytes when it is back', async () => {
  const { id, url } = await uploadFile(service, bytes);
  const objects = await countObjects();
  proxy.plan('DELETE', [], 'answer 500');
  const response = await service.fetch(`/api/v3/file/${id}`, {
    method: 'DELETE',
    headers: { authorization: mediaToken },
  });
  assert.equal(response.status, 200);
  assert.equal((await service.fetch(pathOf(url))).status, 404);
  proxy.plan('', []);
  const deadline = performance.now() + 30_000; // CONTRACT.md, 4.5
  while ((await countObjects()) >= objects && performance.now() < deadline) await wait(100);
  assert.equal(await countObjects(), objects - 1);
});

it('logs none of this as a bug', () => {
  assert.deepEqual(
    service.logged.filter(line => line.includes('a request failed unexpectedly')),
    [],
  );
});
