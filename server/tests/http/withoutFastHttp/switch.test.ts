/** The switch decides which server reads a plain request; the response is the same. */
import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { test } from 'node:test';
import { sendPlainly } from '../../support/intakeMethods.ts';
import { startQuietService } from '../../support/service.ts';

const token = 'a-logs-token-of-thirty-two-chars';
const sent = {
  headers: { authorization: token, 'content-type': 'application/json' },
  body: '[{"level":"info","message":"plain"}]',
};

let seenByNode = 0;
subscribe('http.server.request.start', () => {
  seenByNode += 1;
});

async function sendTo(fastHttp: 'true' | 'false') {
  await using service = await startQuietService({
    environment: { TAPEDECK_LOGS_TOKEN: token, TAPEDECK_FAST_HTTP: fastHttp },
  });
  await sendPlainly(service.url, sent); // after this the token is cached
  seenByNode = 0;
  const answer = await sendPlainly(service.url, sent);
  return { answer, seenByNode };
}

test('with fast HTTP, Node.js sees no plain requests; without it, all; the responses match', async () => {
  const fast = await sendTo('true');
  const slow = await sendTo('false');
  assert.equal(fast.answer.status, 200);
  assert.deepEqual(slow.answer, fast.answer);
  assert.deepEqual([fast.seenByNode, slow.seenByNode], [0, 1]);
});
