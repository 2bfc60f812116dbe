/** Unusable buckets: start, commands and `/readyz` name the bucket, the fault and the remedy. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, settingsOf, startS3 } from '../support/refusingS3.ts';
import { makeDirectory, startTestService, type TestService } from '../support/service.ts';
import { runTapedeck } from '../support/tapedeck.ts';

const noticedMsMax = 20_000; // far more than it takes, even on a busy machine

const rows: [string, Answer, RegExp][] = [
  [
    'it is missing',
    { status: 404, code: 'NoSuchBucket' },
    /does not exist: create it, or correct TAPEDECK_S3_BUCKET\.$/,
  ],
  [
    'the key is unknown',
    { status: 403, code: 'InvalidAccessKeyId' },
    /does not know the access key AKIA7\. Correct TAPEDECK_S3_ACCESS_KEY_ID\.$/,
  ],
  [
    'the secret is wrong',
    { status: 403, code: 'SignatureDoesNotMatch' },
    /TAPEDECK_S3_SECRET_ACCESS_KEY is not the secret of AKIA7\.$/,
  ],
  [
    'the key lacks permission',
    { status: 403, code: 'AccessDenied' },
    /is closed to the access key AKIA7 \(AccessDenied\): allow it to list, read, write and delete/,
  ],
  [
    'the region is wrong',
    { status: 400, code: 'AuthorizationHeaderMalformed', more: '<Region>eu-west-3</Region>' },
    /is in another region than us-east-1: set TAPEDECK_S3_REGION to eu-west-3/,
  ],
  [
    'the bucket is in another region',
    { status: 301, code: 'PermanentRedirect', headers: { 'x-amz-bucket-region': 'eu-west-3' } },
    /set TAPEDECK_S3_REGION to eu-west-3/,
  ],
  ['the clock is wrong', { status: 403, code: 'RequestTimeTooSkewed' }, /the clock of this machine differs/],
  [
    'something else responds',
    { status: 200, body: '<html>It works!</html>' },
    /what answers there is no S3\. Check TAPEDECK_S3_ENDPOINT\.$/,
  ],
];

describe('the start is refused, and a command fails, when', () => {
  for (const [name, answer, sentence] of rows) {
    it(name, async () => {
      await using s3 = await startS3(answer);
      await using place = await makeDirectory();
      const environment = settingsOf(s3.endpoint);
      const named = new RegExp(`^The bucket clips at ${s3.endpoint} `);
      const check = (message: string) => {
        assert.match(message, named);
        assert.match(message, sentence);
        assert.doesNotMatch(message, /hush/);
      };
      await assert.rejects(startTestService({ environment, dataDir: place.path }), ({ message }: Error) => {
        check(message);
        return true;
      });
      const { complained } = await runTapedeck(['verify'], { ...environment, TAPEDECK_DATA_DIR: place.path });
      check(complained.trimEnd());
    });
  }

  it('the address is unknown', async () => {
    const environment = settingsOf('http://nowhere.invalid');
    await assert.rejects(startTestService({ environment }), {
      message:
        /^The bucket clips at http:\/\/nowhere\.invalid (has an address that is not known|does not answer)/,
    });
  });
});

test('logs the name of a bucket that does not respond, and still accepts logs', async () => {
  await using s3 = await startS3({ status: 503, code: 'SlowDown' });
  await using service = await startTestService({ environment: settingsOf(s3.endpoint) });
  const warnings = service.logged.filter(line =>
    line.includes(`The bucket clips at ${s3.endpoint} does not answer`),
  );
  assert.equal(warnings.length, 1);
  assert.equal((await service.fetch('/healthz')).status, 200);
  assert.match(
    await tellWhyNotReady(service),
    new RegExp(
      `^Not ready: blobs\\. The bucket clips at ${s3.endpoint} does not answer \\(SlowDown\\): start it`,
    ),
  );
});

describe('a running service is not ready, and says why, when', () => {
  const opened = new AsyncDisposableStack();
  let s3: Awaited<ReturnType<typeof startS3>>;
  let service: TestService;
  before(async () => {
    s3 = opened.use(await startS3(null));
    service = opened.use(await startTestService({ environment: settingsOf(s3.endpoint) }));
  });
  after(() => opened.disposeAsync());

  for (const [name, answer, sentence] of rows.filter(([, { status }]) => status >= 300)) {
    it(name, async () => {
      assert.equal((await service.fetch('/readyz?role=media')).status, 200);
      service.logged.length = 0;
      s3.refuse(answer);
      const reasons = [await tellWhyNotReady(service), await tellWhyNotReady(service)];
      for (const error of reasons) {
        assert.match(error, new RegExp(`^Not ready: blobs\\. The bucket clips at ${s3.endpoint} `));
        assert.match(error, sentence);
        assert.doesNotMatch(error, /hush/);
      }
      const logged = service.logged.filter(line => line.includes('a store is unavailable'));
      assert.equal(logged.length, 1, 'reported once, however often it is checked');
      assert.ok(logged[0]!.includes(`The bucket clips at ${s3.endpoint}`));
      s3.refuse(null);
      for (const deadline = performance.now() + noticedMsMax; ; await wait(50)) {
        if ((await service.fetch('/readyz?role=media')).status === 200) break;
        assert.ok(performance.now() < deadline, 'the recovery is detected');
      }
    });
  }

  it('the bucket is down', async () => {
    await s3[Symbol.asyncDispose]();
    const named = `^Not ready: blobs\\. The bucket clips at ${s3.endpoint} does not answer \\(ECONN[A-Z]+\\): start it`;
    assert.match(await tellWhyNotReady(service), new RegExp(named));
  });

  it('the media folder is missing', async () => {
    await using onDisk = await startTestService();
    await rm(path.join(onDisk.dataDir, 'media'), { recursive: true });
    const error = await tellWhyNotReady(onDisk);
    assert.match(error, /^Not ready: blobs\. The folder of the media is missing: check that its disk/);
    assert.doesNotMatch(error, new RegExp(onDisk.dataDir));
  });
});

async function tellWhyNotReady(checked: TestService): Promise<string> {
  const response = await checked.fetch('/readyz?role=media');
  const answer: unknown = await response.json();
  assert.ok(typeof answer === 'object' && answer !== null && 'error' in answer && 'code' in answer);
  assert.deepEqual([response.status, answer.code], [503, 'not_ready']);
  return String(answer.error);
}
