/** A bucket that cannot be used: the start, and every command, says which bucket it is, what is wrong, and what to change. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, test } from 'node:test';
import { makeDirectory, startTestService } from './service.ts';
import { runTapedeck } from './tapedeck.ts';

type Answer = {
  status: number;
  code?: string;
  more?: string;
  headers?: Record<string, string>;
  body?: string;
};

/** An S3 that says no, in the words of the real ones. */
async function startRefusingS3({ status, code = '', more = '', headers = {}, body }: Answer) {
  const text = body ?? `<?xml version="1.0"?><Error><Code>${code}</Code>${more}</Error>`;
  const server = http.createServer((request, response) => {
    response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    endpoint: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
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
    'the key may not',
    { status: 403, code: 'AccessDenied' },
    /is closed to the access key AKIA7 \(AccessDenied\): allow it to list, read, write and delete/,
  ],
  [
    'the region is wrong',
    { status: 400, code: 'AuthorizationHeaderMalformed', more: '<Region>eu-west-3</Region>' },
    /is in another region than us-east-1: set TAPEDECK_S3_REGION to eu-west-3/,
  ],
  [
    'it lies elsewhere',
    { status: 301, code: 'PermanentRedirect', headers: { 'x-amz-bucket-region': 'eu-west-3' } },
    /set TAPEDECK_S3_REGION to eu-west-3/,
  ],
  ['the clock is wrong', { status: 403, code: 'RequestTimeTooSkewed' }, /the clock of this machine differs/],
  [
    'something else answers',
    { status: 200, body: '<html>It works!</html>' },
    /what answers there is no S3\. Check TAPEDECK_S3_ENDPOINT\.$/,
  ],
];

describe('a start is refused, and a command fails, when', () => {
  for (const [name, answer, sentence] of rows) {
    it(name, async () => {
      await using s3 = await startRefusingS3(answer);
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

  it('its address is not known', async () => {
    const environment = settingsOf('http://nowhere.invalid');
    await assert.rejects(startTestService({ environment }), {
      message:
        /^The bucket clips at http:\/\/nowhere\.invalid (has an address that is not known|does not answer)/,
    });
  });
});

test('a bucket that does not answer is named in the log, and the service takes logs meanwhile', async () => {
  await using s3 = await startRefusingS3({ status: 503, code: 'SlowDown' });
  await using service = await startTestService({ environment: settingsOf(s3.endpoint) });
  const told = service.logged.filter(line =>
    line.includes(`The bucket clips at ${s3.endpoint} does not answer`),
  );
  assert.equal(told.length, 1);
  assert.equal((await service.fetch('/healthz')).status, 200);
  const { status } = await service.fetch('/readyz');
  assert.equal(status, 503);
});
