/** A project's maximum number of followers, each with a filter. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { describeRefusal } from '../support/client.ts';
import { type Follower, follow } from '../support/logFollowers.ts';
import { openLogClient } from '../support/logSender.ts';
import { addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const releasedMsMax = 30_000; // some milliseconds on an idle machine
const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { owner, token, get, store } = await openLogClient(service);

test('a thousand clients of a project follow at once; rejects one more, but not of another project', async () => {
  const count = 1_000;
  const followers: Follower[] = [];
  while (followers.length < count) {
    const some = Array.from({ length: 50 }, (_, index) =>
      follow(service.url, `dataset=crowd&metadata.n=${(followers.length + index) % 10}`, { token }),
    );
    followers.push(...(await Promise.all(some)));
  }
  assert.equal(await describeRefusal(await get('/tail')), '503 overloaded');
  const elsewhere = await addToken(owner, { kind: 'logs', project: await addProject(owner, 'other') });
  await using other = await follow(service.url, '', { token: elsewhere.token });
  await store([{ level: 'info', message: 'mine' }], 'default', { authorization: elsewhere.token });
  assert.deepEqual(await other.takeBodies(1), ['mine']);
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
  const deadline = performance.now() + releasedMsMax;
  for (let response = await get('/tail'); response.status !== 200; response = await get('/tail')) {
    assert.ok(performance.now() < deadline, 'slots are released');
    await wait(20);
  }
});
