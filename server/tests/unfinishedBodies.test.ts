/** Clients that never finish their bodies take a bounded share of the memory; all others are served. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { limits } from '../src/vocabulary.ts';
import { compose, describeAnswer, talk } from './rawHttp.ts';
import { startTestService } from './service.ts';

const token = 'a-logs-token-of-thirty-two-chars';
const service = await startTestService({ environment: { TAPEDECK_LOGS_TOKEN: token } });
after(() => service[Symbol.asyncDispose]());

const headers = { Authorization: token, 'Content-Type': 'application/json' };
const head = compose('POST /api/v3/logs', { ...headers, 'Content-Length': limits.logBatchBytesMax });
const body = '[{"level":"info","message":"small"}]';
const bodiesMax = Math.floor(limits.unfinishedBodiesBytesMax / limits.logBatchBytesMax);

test('beyond a bound large bodies are refused, until those before them are gone', async () => {
  const almostAll = Buffer.alloc(limits.logBatchBytesMax - 1_000, ' ');
  const begin = () => talk(service.url, [head, almostAll], { answersMax: 1, timeMsMax: 4_000 });
  const begun = Array.from({ length: bodiesMax + 5 }, begin);
  const small = await service.fetch('/api/v3/logs', { method: 'POST', headers, body });
  assert.equal(small.status, 200, 'what is small is taken');
  const refused = (await Promise.all(begun)).flatMap(({ answers }) => answers);
  assert.ok(refused.length >= 5, `${refused.length} were refused`);
  for (const answer of refused) {
    assert.equal(describeAnswer(answer), '503 overloaded');
    assert.ok(Number(answer.headers['retry-after']) > 0);
  }
  const whole = body.padStart(limits.logBatchBytesMax);
  const again = await talk(service.url, [head, whole], { answersMax: 1 });
  assert.equal(again.answers[0]?.status, 200);
});
