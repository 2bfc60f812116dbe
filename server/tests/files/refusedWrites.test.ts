/** Buckets that can be read but refuse writes: `/readyz`, starts and backups say so, and uploads get the right error. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { getReadiness } from '@tapedeck/contract/system';
import { smallPng } from '@tapedeck/media-facts/samples';
import { describeRefusal } from '../support/client.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { type Answer, settingsOf, startS3 } from '../support/refusingS3.ts';
import { makeDirectory, startTestService, type TestService } from '../support/service.ts';
import { runTapedeck } from '../support/tapedeck.ts';
import { mediaToken } from '../support/uploading.ts';

const noticedMsMax = 20_000; // far more than it takes, even on a busy machine

describe('a bucket that can be read but refuses writes', () => {
  const writesOnly = (answer: Answer) => ({ ...answer, concerns: ['PUT', 'POST'] });
  const refusals: [string, Answer, RegExp, string][] = [
    [
      'the key may only read',
      { status: 403, code: 'AccessDenied' },
      /refuses writes \(AccessDenied\): allow the access key AKIA7 to write/,
      '503 blobs_unavailable',
    ],
    [
      'its quota is used up',
      { status: 400, code: 'XMinioAdminBucketQuotaExceeded' },
      /is full: make room in it, or raise its quota\.$/,
      '507 disk_full',
    ],
  ];
  for (const [name, answer, sentence, refusal] of refusals) {
    it(`shows in /readyz until writing works again: ${name}`, async () => {
      await using s3 = await startS3(null);
      const environment = { ...settingsOf(s3.endpoint), TAPEDECK_MEDIA_TOKEN: mediaToken };
      await using service = await startTestService({ environment });
      const upload = () =>
        service.fetch('/api/v3/file', {
          method: 'POST',
          headers: { authorization: mediaToken, 'content-type': 'image/png' },
          body: new Uint8Array(smallPng),
        });
      assert.deepEqual(await readBlobs(service), { check: 'ok', reasons: [] });
      s3.refuse(writesOnly(answer));
      assert.equal(await describeRefusal(await upload()), refusal);
      s3.seen.length = 0;
      for (let count = 0; count < 20; count++) {
        const { check, reasons } = await readBlobs(service);
        assert.equal(check, 'failing');
        assert.match(reasons[0] ?? '', new RegExp(`^The bucket clips at ${s3.endpoint} can be read, but `));
        assert.match(reasons[0] ?? '', sentence);
      }
      const writes = s3.seen.filter(method => method === 'PUT').length;
      assert.ok(writes < 10, `${writes} writes for 20 requests`);
      s3.refuse(null);
      for (const deadline = performance.now() + noticedMsMax; ; await wait(50)) {
        if ((await readBlobs(service)).check === 'ok') break;
        assert.ok(performance.now() < deadline, 'the recovery is detected without an upload');
      }
    });
  }

  it('is quoted by a backup into it', async () => {
    await using place = await makeDirectory();
    await using s3 = await startS3(writesOnly({ status: 403, code: 'AccessDenied' }));
    const access = settingsOf(s3.endpoint);
    const { complained } = await runTapedeck(['backup', 's3://clips/x'], {
      TAPEDECK_DATA_DIR: place.path,
      AWS_ENDPOINT_URL: s3.endpoint,
      AWS_ACCESS_KEY_ID: access.TAPEDECK_S3_ACCESS_KEY_ID,
      AWS_SECRET_ACCESS_KEY: access.TAPEDECK_S3_SECRET_ACCESS_KEY,
    });
    assert.match(complained, /did not accept [-\w.]+: S3 answered 403 AccessDenied to PUT/);
  });

  it('shows after a restart before the first upload; a first start is refused', async () => {
    await using place = await makeDirectory();
    const answer = writesOnly({ status: 403, code: 'AccessDenied' });
    await using s3 = await startS3(answer);
    const start = () => startTestService({ environment: settingsOf(s3.endpoint), dataDir: place.path });
    await assert.rejects(start(), { message: /^The bucket clips at .* can be read, but refuses writes/ });
    s3.refuse(null);
    await (await start())[Symbol.asyncDispose]();
    s3.refuse(answer);
    await using service = await start();
    assert.equal((await readBlobs(service)).check, 'failing');
  });
});

/** Files can be read all the time, so the role `media` is ready. */
async function readBlobs(checked: TestService): Promise<{ check: string | undefined; reasons: string[] }> {
  const response = await checked.fetch('/readyz?role=media');
  assert.equal(response.status, 200);
  const { checks, reasons } = await readAs(getReadiness.answer, response);
  return { check: checks.blobs, reasons };
}
