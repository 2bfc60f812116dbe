/** Unusable buckets: start, commands and `/readyz` name the bucket, the fault and the remedy. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { getReadiness } from '@tapedeck/contract/system';
import { smallPng } from '@tapedeck/media-facts/samples';
import { describeRefusal } from '../support/client.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { makeDirectory, startTestService, type TestService } from '../support/service.ts';
import { runTapedeck } from '../support/tapedeck.ts';
import { mediaToken } from '../support/uploading.ts';

const noticedMsMax = 20_000; // far more than it takes, even on a busy machine

type Answer = {
  status: number;
  code?: string;
  more?: string;
  headers?: Record<string, string>;
  body?: string;
  /** The methods that it refuses; absent: all. */
  concerns?: string[];
};

/** Starts an S3 that refuses in the words of real ones; with null it serves a bucket that keeps nothing but the service's mark. */
async function startS3(answer: Answer | null) {
  const seen: (string | undefined)[] = [];
  const s3 = { answer, mark: '' };
  const server = http.createServer((request, response) => {
    const { method, url } = request;
    seen.push(method);
    const isMark = url === '/clips/.installation';
    const found = composeAnswer(request, s3.answer);
    const {
      status,
      headers = {},
      text,
    } = isMark && method === 'GET' && s3.mark !== '' ? { status: 200, text: s3.mark } : found;
    if (isMark && method === 'PUT' && status === 200) request.on('data', chunk => (s3.mark += chunk));
    request.resume().once('end', () => {
      response.writeHead(status, headers).end(method === 'HEAD' ? undefined : text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    endpoint: `http://127.0.0.1:${port}`,
    seen,
    refuse: (given: Answer | null) => {
      s3.answer = given;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function composeAnswer({ method, url = '' }: http.IncomingMessage, answer: Answer | null) {
  if (answer !== null && (answer.concerns ?? [method]).includes(method ?? '')) {
    const { status, code = '', more = '', headers, body } = answer;
    return { status, headers, text: body ?? spellError(code, more) };
  }
  const isObject = /^\/clips\/[^?]/.test(url);
  if (!(isObject && ['GET', 'HEAD'].includes(method ?? '')))
    return { status: 200, text: '<ListBucketResult></ListBucketResult>' };
  return { status: 404, text: spellError('NoSuchKey', '') };
}

function spellError(code: string, more: string): string {
  return `<?xml version="1.0"?><Error><Code>${code}</Code>${more}</Error>`;
}

const settingsOf = (endpoint: string) => ({
  TAPEDECK_S3_BUCKET: 'clips',
  TAPEDECK_S3_ENDPOINT: endpoint,
  TAPEDECK_S3_ACCESS_KEY_ID: 'AKIA7',
  TAPEDECK_S3_SECRET_ACCESS_KEY: 'hush-hush-hush',
  TAPEDECK_S3_FORCE_PATH_STYLE: 'true',
});

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
      const logged = service.logged.filter(line => line.includes('a store is away'));
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
    assert.match(error, /^Not ready: blobs\. The folder of the media is gone: bring back the disk/);
    assert.doesNotMatch(error, new RegExp(onDisk.dataDir));
  });
});

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

async function tellWhyNotReady(checked: TestService): Promise<string> {
  const response = await checked.fetch('/readyz?role=media');
  const answer: unknown = await response.json();
  assert.ok(typeof answer === 'object' && answer !== null && 'error' in answer && 'code' in answer);
  assert.deepEqual([response.status, answer.code], [503, 'not_ready']);
  return String(answer.error);
}
