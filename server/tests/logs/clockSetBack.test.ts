/** Tests entries without a time while the machine's clock is ahead and then set back. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../support/service.ts';

const token = 'logs-token-of-the-tests-0123456789';
const service = await startTestService({ environment: { TAPEDECK_LOGS_TOKEN: token } });
after(() => service[Symbol.asyncDispose]());
const hourMs = 3_600_000;

async function store(message: string): Promise<void> {
  const answer = await service.fetch('/api/v3/logs', {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify([{ level: 'info', message }]),
  });
  assert.equal(answer.status, 200, await answer.text());
}

test('entries get the time of receipt again as soon as the clock is right', async () => {
  service.clock.advance(hourMs);
  await store('while the clock was ahead');
  service.clock.advance(-hourMs);
  const setBackAt = service.clock.now();
  await store('after it was set back');
  const read = await service.fetch('/api/v3/logs', { headers: { authorization: token } });
  // CONTRACT.md, 4.2.
  const { data } = (await read.json()) as { data: { body: string; timestamp: string }[] };
  const [ahead, right] = data;
  assert.deepEqual([ahead?.body, right?.body], ['while the clock was ahead', 'after it was set back']);
  const lateMs = Date.parse(right?.timestamp ?? '') - setBackAt;
  assert.ok(lateMs >= 0 && lateMs < 60_000, `${lateMs} ms late`);
});
