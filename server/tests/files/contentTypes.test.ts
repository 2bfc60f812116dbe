/** Every JSON response has the bare content type on every path, since some clients compare it letter by letter. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { smallPng } from '@tapedeck/media-facts/samples';
import { addPerson, addToken } from '../support/people.ts';
import { compose, type RawAnswer, talk } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';
import { formOf, mediaEnvironment, sendForm } from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const { token } = await addToken(await addPerson(service, { isOwner: true }), { kind: 'logs' });
const authorized = { Authorization: token };
const batch = '[{"level":"info","message":"x"}]';
const posted = { ...authorized, 'Content-Type': 'application/json', 'Content-Length': batch.length };

async function request(
  line: string,
  headers: Record<string, string | number> = {},
  body = '',
): Promise<RawAnswer> {
  const { answers } = await talk(service.url, [compose(line, headers, body)], { answersMax: 1 });
  return answers[0]!;
}

describe('JSON responses have the bare type', () => {
  const rows: readonly [string, number, () => Promise<RawAnswer>][] = [
    ['entries by the fast path', 200, () => request('POST /api/v3/logs', posted, batch)],
    [
      'entries through the HTTP server',
      200,
      () => request('POST /api/v3/logs', { ...posted, Upgrade: 'h2c', Connection: 'Upgrade' }, batch),
    ],
    ['entries through the router', 200, () => request('POST /api/v3/logs?dataset=a', posted, batch)],
    [
      'a rejection on the fast path',
      400,
      () => request('POST /api/v3/logs', posted, batch.replace('info', 'nope')),
    ],
    ['entries of a query', 200, () => request('GET /api/v3/logs', authorized)],
    [
      'text sent as JSON',
      200,
      () => request('POST /api/sdk/invalidate?endpoint=a&resourceName=b', authorized),
    ],
    ['a webhook', 200, () => request(`GET /api/webhooks/1/${token}`)],
    ['health', 200, () => request('GET /healthz')],
    ['readiness', 200, () => request('GET /readyz')],
    ['the description of the API', 200, () => request('GET /openapi.json')],
    ['the state of the installation', 200, () => request('GET /api/manage/state')],
    ['an unknown path', 404, () => request('GET /api/nope')],
    ['an unknown file', 404, () => request('GET /media/default/none.png')],
    ['a request that is not HTTP', 400, () => request('GET /healthz', { 'Content-Length': 'x' })],
    ['an unknown token', 401, () => request('GET /api/v3/file', { Authorization: 'x'.repeat(32) })],
  ];
  for (const [name, status, send] of rows) {
    it(name, async () => {
      const answer = await send();
      assert.deepEqual(
        [answer.status, answer.headers['content-type']],
        [status, 'application/json'],
        answer.body,
      );
    });
  }

  it('an upload', async () => {
    const response = await sendForm(service, formOf(smallPng));
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'application/json']);
  });
});
