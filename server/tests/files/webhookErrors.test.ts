/** Chat platform libraries read refusals: the sentence as `message`, and the wait in seconds. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { describeRefusal } from '../support/client.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const limited = await startTestService({ environment: { TAPEDECK_RATE_LIMIT: '1' } });
after(() => Promise.all([service, limited].map(each => each[Symbol.asyncDispose]())));
const { token } = await addToken(await addPerson(service, { isOwner: true }), { kind: 'logs' });
const hook = `/api/webhooks/1/${token}`;
const json = { 'content-type': 'application/json' };

type Refusal = { error: string; code: string; message?: string; retry_after?: number };

async function readRefusal(response: Response): Promise<Refusal> {
  assert.ok(response.status >= 400, String(response.status));
  assert.equal(response.headers.get('content-type'), 'application/json');
  // Every error has these; callers assert them.
  return (await response.json()) as Refusal;
}

describe('an error has its sentence as message and its code as a header, too', () => {
  const rows: readonly [string, string, RequestInit][] = [
    ['an unknown token', `/api/webhooks/1/${'x'.repeat(32)}`, { method: 'POST', headers: json, body: '{}' }],
    ['an empty payload', hook, { method: 'POST', headers: json, body: '{}' }],
    ['broken JSON', `${hook}?wait=true`, { method: 'POST', headers: json, body: '{' }],
    ['an unknown content type', hook, { method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'a' }],
    [
      'a malformed form',
      hook,
      { method: 'POST', headers: { 'content-type': 'multipart/form-data' }, body: 'a' },
    ],
    ['another method', hook, { method: 'DELETE' }],
    ['another version', `/api/v10/webhooks/1/${token}`, { method: 'PUT' }],
    ['an unknown version', `/api/vX/webhooks/1/${token}/`, { method: 'POST' }],
    ['an unknown path below it', `${hook}/nothing`, { method: 'POST' }],
    ['a path that cannot be decoded', `/api/webhooks/1/%zz`, { method: 'POST' }],
    ['the form with attachments', `${hook}/slack`, { method: 'POST', headers: json, body: '[]' }],
  ];
  for (const [name, path, init] of rows) {
    it(name, async () => {
      const response = await service.fetch(path, init);
      const { error, message, code } = await readRefusal(response);
      const header = response.headers.get('x-error-code');
      // Only paths below the webhooks' address have them.
      assert.deepEqual([message, header], path.includes('/vX/') ? [undefined, null] : [error, code]);
    });
  }

  it('elsewhere it has none', async () => {
    const response = await service.fetch('/api/v3/logs', { method: 'POST' });
    const refusal = await readRefusal(response);
    assert.deepEqual([refusal.message, refusal.retry_after], [undefined, undefined]);
    assert.equal(response.headers.get('x-error-code'), null);
  });
});

it('beyond the rate limit, gives the seconds until a retry', async () => {
  const busy = await addToken(await addPerson(limited, { isOwner: true }), { kind: 'logs' });
  const send = () => limited.fetch(`/api/webhooks/1/${busy.token}`);
  assert.equal((await send()).status, 200);
  const response = await send();
  const refusal = await readRefusal(response);
  assert.equal(response.status, 429);
  assert.equal(refusal.retry_after, Number(response.headers.get('retry-after')));
  assert.ok((refusal.retry_after ?? 0) > 0 && (refusal.retry_after ?? 99) <= 60);
});

describe('returns 404 with a reason for unsupported operations on messages', () => {
  const rows: readonly [string, string][] = [
    ['PATCH', '/messages/123456789012345678'],
    ['DELETE', '/messages/123456789012345678'],
    ['PATCH', '/messages/@original'],
    ['POST', '/github'],
  ];
  for (const [method, path] of rows) {
    for (const base of [hook, hook.replace('/api/', '/api/v10/')]) {
      it(`${method} ${base.replace(token, '…')}${path}`, async () => {
        const init = { method, headers: json, ...(method !== 'DELETE' && { body: '{"content":"x"}' }) };
        const response = await service.fetch(`${base}${path}?wait=true`, init);
        const copy = response.clone();
        assert.equal(await describeRefusal(response), '404 not_found');
        const { message = '' } = await readRefusal(copy);
        assert.match(message, /cannot be changed/);
      });
    }
  }
});
