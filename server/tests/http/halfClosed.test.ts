/** Clients that close their end right after their requests, as `nc -N` does, get every answer, except for queries: they end with their client. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { addPerson, addToken } from '../support/people.ts';
import { compose, type Part, talk } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token } = await addToken(await addPerson(service, { isOwner: true }), { kind: 'logs' });

const entry = '[{"level":"info","message":"a"}]';
const headers = { Authorization: token, 'Content-Type': 'application/json' };
const post = compose('POST /api/v3/logs', { ...headers, 'Content-Length': entry.length }, entry);
const chunked = compose('POST /api/v3/logs', { ...headers, 'Transfer-Encoding': 'chunked' });
const chunks = `20\r\n${entry}\r\n0\r\n\r\n`;
const health = compose('GET /healthz');
const nothing = compose('GET /nope');
const many = 40; // more than wait while the connection is read

const rows: readonly [name: string, parts: Part[], statuses: number[]][] = [
  ['a short answer', [health], [200]],
  ['three short answers', [health.repeat(3)], [200, 200, 200]],
  ['an entry to store', [post], [200]],
  ['three entries to store', [post.repeat(3)], [200, 200, 200]],
  ['three errors', [nothing.repeat(3)], [404, 404, 404]],
  ['a body in chunks', [chunked + chunks], [200]],
  ['requests of several kinds', [post + nothing + chunked + chunks + health], [200, 404, 200, 200]],
  ['requests in pieces', [post, 20, health.slice(0, 10), 20, health.slice(10), nothing], [200, 200, 404]],
  ['many requests', [(chunked + chunks).repeat(many)], Array.from({ length: many }, () => 200)],
];
for (const [name, parts, statuses] of rows) {
  it(name, async () => {
    const { answers, end } = await talk(service.url, parts, { hangsUp: true });
    assert.deepEqual(
      answers.map(({ status }) => status),
      statuses,
    );
    assert.equal(end, 'closed');
  });
}

it('a request that was cut is answered by 400', async () => {
  const { answers } = await talk(service.url, [post + chunked + chunks.slice(0, 20)], { hangsUp: true });
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 400],
  );
});
