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

async function ask(
  line: string,
  headers: Record<string, string | number> = {},
  body = '',
): Promise<RawAnswer> {
  const { answers } = await talk(service.url, [compose(line, headers, body)], { answersMax: 1 });
  return answers[0]!;
}

describe('the type of JSON is bare', () => {
  const rows: readonly [string, number, () => Promise<RawAnswer>][] = [
    ['entries by the short way', 200, () => ask('POST /api/v3/logs', posted, batch)],
    [
      'entries by way of the HTTP server',
      200,
      () => ask('POST /api/v3/logs', { ...posted, Upgrade: 'h2c', Connection: 'Upgrade' }, batch),
    ],
    ['entries by way of the router', 200, () => ask('POST /api/v3/logs?dataset=a', posted, batch)],
    [
      'a refusal on the short way',
      400,
      () => ask('POST /api/v3/logs', posted, batch.replace('info', 'nope')),
    ],
    ['entries that are read', 200, () => ask('GET /api/v3/logs', authorized)],
    ['a text as JSON', 200, () => ask('POST /api/sdk/invalidate?endpoint=a&resourceName=b', authorized)],
    ['a webhook', 200, () => ask(`GET /api/webhooks/1/${token}`)],
    ['health', 200, () => ask('GET /healthz')],
    ['readiness', 200, () => ask('GET /readyz')],
    ['the description of the API', 200, () => ask('GET /openapi.json')],
    ['the state of the installation', 200, () => ask('GET /api/manage/state')],
    ['an unknown path', 404, () => ask('GET /api/nope')],
    ['an unknown file', 404, () => ask('GET /media/default/none.png')],
    ['a request that is no HTTP', 400, () => ask('GET /healthz', { 'Content-Length': 'x' })],
    ['a token that is none', 401, () => ask('GET /api/v3/file', { Authorization: 'x'.repeat(32) })],
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
