/** Responses come in the order of the requests, even if the last request is refused or makes Node.js's server give up the connection. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { compose, type Part, talk } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';
import { makeSound, mediaToken, pathOf, uploadFile } from '../support/uploading.ts';

const logsToken = 'a-logs-token-of-thirty-two-chars';
const service = await startTestService({
  environment: { TAPEDECK_MEDIA_TOKEN: mediaToken, TAPEDECK_LOGS_TOKEN: logsToken },
  timeouts: { headersMsMax: 1_000 },
});
after(() => service[Symbol.asyncDispose]());

const json = { 'Content-Type': 'application/json' };
const entry = '[{"level":"info","message":"synced"}]';
/** A request that waits for the disk. */
const slow = compose(
  'POST /api/v3/logs',
  { ...json, Authorization: logsToken, 'Transfer-Encoding': 'chunked' },
  `${entry.length.toString(16)}\r\n${entry}\r\n0\r\n\r\n`,
);
const offer = { Connection: 'Upgrade', Upgrade: 'h2c' };

const lasts: [title: string, parts: Part[], statuses: number[]][] = [
  ['CONNECT', [compose('CONNECT example.org:80')], [405]],
  ['CONNECT with bytes after it', [compose('CONNECT example.org:80'), 'and more'], [405]],
  ['an offer', [compose('GET /nope', offer) + compose('CONNECT example.org:80')], [404, 405]],
  [
    'an upgrade with a body',
    [compose('POST /nope', { ...offer, ...json, 'Content-Length': 2 }, '{}')],
    [404],
  ],
  ['an expectation', [compose('GET /nope', { Expect: '100-continue', Connection: 'close' })], [404]],
  ['no HTTP', ['NONSENSE\r\n\r\n'], [400]],
  ['no Host', ['GET /nope HTTP/1.1\r\n\r\n'], [400]],
  ['an oversized head', [compose('GET /nope', { 'X-A': 'a'.repeat(20_000) })], [431]],
  ['an endless head', ['GET /nope HTTP/1.1\r\nHost:'], [408]],
  ['a broken body', [compose('POST /nope', { ...json, 'Transfer-Encoding': 'chunked' }, 'x')], [400]],
];

describe('after slow responses comes', () => {
  for (const [title, parts, statuses] of lasts) {
    it(`that to ${title}`, async () => {
      const { answers, end } = await talk(service.url, [[slow, slow, ...parts].join('')]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, ...statuses],
      );
      assert.equal(end, 'closed');
    });
  }
});

describe('after a file that fills the connection, read slowly, comes', async () => {
  const bytes = makeSound({ seconds: 2_000, tone: 5 }); // more than the system buffers for a connection
  const path = pathOf((await uploadFile(service, bytes)).url);
  for (const title of ['CONNECT', 'an offer']) {
    const [, parts, statuses] = lasts.find(row => row[0] === title)!;
    it(`that to ${title}`, async () => {
      const { answers } = await talk(service.url, [compose(`GET ${path}`) + parts.join('')], {
        readsLast: true,
      });
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, ...statuses],
      );
      assert.equal(answers[0]!.body.length, bytes.length);
    });
  }

  it('nothing when the client disconnects', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.write(compose(`GET ${path}`).repeat(3) + compose('CONNECT example.org:80'));
    await once(socket, 'data');
    socket.resetAndDestroy();
    assert.equal((await service.fetch('/healthz')).status, 200);
    assert.deepEqual(service.logged, []);
  });
});
