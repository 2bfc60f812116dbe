/** Tests that a bucket which can be read but refuses writes is recognised, with few test writes. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startSwift } from '../../../../scripts/engines/swift.ts';
import { collect } from '../../tests/conformance/openBlobs.ts';
import { startFaultyProxy } from '../../tests/faultyProxy.ts';
import { openS3Blobs } from '../s3.ts';
import { S3Client } from './client.ts';
import { openJournalObjects } from './objects.ts';

await using opened = new AsyncDisposableStack();
const engine = opened.use(await startSwift());
const proxy = opened.use(await startFaultyProxy(engine.endpoint));
const bucket = `b-${randomBytes(6).toString('hex')}`;
const config = { ...engine, bucket, forcePathStyle: true, endpoint: proxy.endpoint };
const client = new S3Client(config);
await client.call({ method: 'PUT', key: '' });
client.close();
const running = opened.move();
after(() => running.disposeAsync());

for (const fault of ['answer 403', 'answer 507'] as const)
  it(`stays readable, and known to refuse writes, while PUTs get: ${fault}`, async () => {
    await using blobs = openS3Blobs(config);
    await using objects = openJournalObjects(config);
    proxy.plan('PUT', [], fault);
    await assert.rejects(blobs.checkWriting(), { message: /can be read, but (?:refuses writes|is full)/ });
    await assert.rejects(objects.put('segments/a', randomBytes(900_000)));
    for (let time = 0; time < 10; time++) {
      await blobs.check();
      await assert.rejects(blobs.checkWriting());
      await assert.rejects(objects.check());
    }
    assert.ok(proxy.seen.filter(method => method === 'PUT').length < 10, 'few writes are tried');
    proxy.plan('', []);
    for (const deadline = performance.now() + 30_000; ; await wait(100)) {
      const outcomes = await Promise.allSettled([blobs.checkWriting(), objects.check()]);
      if (outcomes.every(({ status }) => status === 'fulfilled')) break;
      assert.ok(performance.now() < deadline, 'writing works again');
    }
    assert.deepEqual(await collect(blobs.list()), [], 'nothing is left');
  });

it('is not in doubt because of a part whose upload is gone', async () => {
  const own = new S3Client(config);
  await own.call({ method: 'PUT', key: 'any' });
  const part = { partNumber: '1', uploadId: randomBytes(16).toString('hex') };
  await assert.rejects(own.call({ method: 'PUT', key: 'any', query: part }), { code: 'blobs_unavailable' });
  assert.equal(own.writes.failed, null);
  await own.call({ method: 'DELETE', key: 'any' });
  own.close();
});
