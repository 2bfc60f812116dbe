/** As many followers as there may be, each with a filter. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { describeRefusal } from './client.ts';
import { openLogDoor } from './logDoor.ts';
import { type Follower, follow } from './logFollowers.ts';
import { startTestService } from './service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token, get, store } = await openLogDoor(service);

test('a thousand follow at once, each told what they asked for; one more is refused', async () => {
  const count = 1_000;
  const followers: Follower[] = [];
  while (followers.length < count) {
    const some = Array.from({ length: 50 }, (_, index) =>
      follow(service.url, `dataset=crowd&metadata.n=${(followers.length + index) % 10}`, { token }),
    );
    followers.push(...(await Promise.all(some)));
  }
  assert.equal(await describeRefusal(await get('/tail')), '503 overloaded');
  const startedAt = performance.now();
  await store(
    Array.from({ length: 100 }, (_, index) => ({
      level: 'info',
      message: `c${index}`,
      metadata: { n: index % 10 },
    })),
    'crowd',
  );
  await Promise.all(followers.map(follower => follower.takeBodies(10)));
  assert.ok(performance.now() - startedAt < 10_000, `${performance.now() - startedAt} ms`);
  for (const [index, { events }] of followers.entries()) {
    assert.deepEqual(new Set(events.map(({ entry }) => entry.metadata.n)), new Set([String(index % 10)]));
  }
  for (const follower of followers) await follower[Symbol.asyncDispose]();
  const deadline = performance.now() + 5_000;
  for (let response = await get('/tail'); response.status !== 200; response = await get('/tail')) {
    assert.ok(performance.now() < deadline, 'places become free');
    await wait(20);
  }
});
