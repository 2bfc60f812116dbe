/** Clients that send `Expect: 100-continue`: they continue only if the service wants the body, and otherwise get the refusal. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { startTestService } from '../support/service.ts';

const logsToken = 'a-logs-token-of-thirty-two-chars';
const mediaToken = 'a-media-token-of-thirty-two-char';
const service = await startTestService({
  environment: { TAPEDECK_LOGS_TOKEN: logsToken, TAPEDECK_MEDIA_TOKEN: mediaToken },
});
after(() => service[Symbol.asyncDispose]());

type ExpectedRequest = { path: string; token: string; type: string; body: string; lengthMax?: number };

const entry = JSON.stringify([{ level: 'info', message: 'asked first' }]);
const json = 'application/json';
const form = 'multipart/form-data; boundary=b';

describe('Expect: 100-continue', () => {
  const rows: [string, ExpectedRequest, string][] = [
    ['log entries', { path: '/v3/logs', token: logsToken, type: json, body: entry }, 'continue 200'],
    [
      'log entries with a query',
      { path: '/v3/logs?dataset=asked', token: logsToken, type: json, body: entry },
      'continue 200',
    ],
    ['a legacy entry', { path: '/logs', token: logsToken, type: json, body: '{}' }, 'continue 200'],
    [
      'a form without a file',
      { path: '/v3/file', token: mediaToken, type: form, body: '--b--' },
      'continue 400',
    ],
    [
      'a file without a form',
      { path: '/v3/file', token: mediaToken, type: 'image/png', body: 'no picture' },
      'continue 415',
    ],
    [
      'a body that the route rejects',
      { path: '/v3/logs', token: logsToken, type: json, body: '{' },
      'continue 400',
    ],
    ['an unknown token', { path: '/v3/logs', token: 'nobody', type: json, body: entry }, '401'],
    ['a token of another kind', { path: '/v3/logs', token: mediaToken, type: json, body: entry }, '403'],
    ['an unsupported type', { path: '/v3/logs', token: logsToken, type: 'image/png', body: entry }, '415'],
    ['an unknown route', { path: '/v3/nowhere', token: logsToken, type: json, body: entry }, '404'],
    [
      'a batch that is too large',
      { path: '/v3/logs', token: logsToken, type: json, body: entry, lengthMax: 11 * 1024 ** 2 },
      '413',
    ],
    [
      'a file that is too large',
      { path: '/v3/file', token: mediaToken, type: form, body: '--b--', lengthMax: 100 * 1024 ** 2 },
      '413',
    ],
  ];
  for (const [name, row, expected] of rows) {
    it(`${name}: ${expected}`, async () => assert.equal(await sendExpecting(row), expected));
  }
});

/** Sends the body only when told to continue. Returns `continue 200`, or the response that came instead. */
async function sendExpecting({ path, token, type, body, lengthMax }: ExpectedRequest): Promise<string> {
  const received: string[] = [];
  const sent = request(`${service.url}/api${path}`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: token,
      'content-type': type,
      'content-length': lengthMax ?? body.length,
      expect: '100-continue',
    },
  });
  sent.on('continue', () => {
    received.push('continue');
    sent.end(body);
  });
  sent.flushHeaders();
  const [answer] = await once(sent, 'response');
  await text(answer);
  sent.destroy();
  return [...received, answer.statusCode].join(' ');
}
