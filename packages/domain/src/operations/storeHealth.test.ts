/** Tests that store health reports each outage and each recovery once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '@tapedeck/values/failure';
import { type StoreChange, StoreHealth } from './storeHealth.ts';

/** Watches a store that answers, fails or hangs on demand. */
function watchOne() {
  const changes: StoreChange[] = [];
  let answer: () => Promise<void> = async () => undefined;
  let answerWriting: () => Promise<void> = async () => undefined;
  let pings = 0;
  const watch = new StoreHealth(change => changes.push(change));
  const ping = () => {
    pings += 1;
    return answer();
  };
  watch.add({ name: 'blobs', ping, pingWriting: () => answerWriting() });
  return {
    watch,
    told: changes,
    pingsOf: () => pings,
    answerWith: (next: () => Promise<void>) => {
      answer = next;
    },
    answerWritingWith: (next: () => Promise<void>) => {
      answerWriting = next;
    },
    [Symbol.dispose]: () => watch[Symbol.dispose](),
  };
}

test('reports an outage once with its message, and the recovery once', async () => {
  using one = watchOne();
  await one.watch.look();
  one.answerWith(() => Promise.reject(new Failure('unavailable', 'The bucket is gone.')));
  for (let count = 0; count < 3; count++)
    assert.deepEqual(await one.watch.look(), [{ name: 'blobs', reason: 'The bucket is gone.' }]);
  assert.equal(one.watch.isUnavailable('blobs'), true);
  one.answerWith(async () => undefined);
  assert.equal(await one.watch.lookAt('blobs'), false);
  await one.watch.look();
  assert.deepEqual(
    one.told.map(({ reason }) => reason),
    ['The bucket is gone.', null],
  );
});

test('reports any other error as it was thrown', async () => {
  using one = watchOne();
  const error = new Error('secret inside');
  one.answerWith(() => Promise.reject(error));
  const [state] = await one.watch.look();
  assert.match(state?.reason ?? '', /^The check of blobs failed/);
  assert.equal(one.told[0]?.error, error);
});

test('concurrent checks share one probe; a timeout counts as an outage until the store responds', async t => {
  using one = watchOne();
  const answered = Promise.withResolvers<void>();
  one.answerWith(() => answered.promise);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const looks = Array.from({ length: 5 }, () => one.watch.look());
  t.mock.timers.tick(5_000);
  await Promise.all(looks);
  t.mock.timers.reset();
  assert.equal(one.pingsOf(), 1);
  assert.match(one.watch.states[0]?.reason ?? '', /got no answer/);
  answered.resolve();
  assert.equal(await one.watch.lookAt('blobs'), false);
  assert.equal(one.told.length, 2);
});

test('reports nothing after it is closed', async () => {
  const one = watchOne();
  one.watch[Symbol.dispose]();
  one.answerWith(() => Promise.reject(new Failure('unavailable', 'Closed.')));
  await one.watch.look();
  assert.deepEqual([one.told, one.pingsOf()], [[], 0]);
});

test('a store that refuses writes is unavailable, but readable until it no longer answers', async () => {
  using one = watchOne();
  one.answerWritingWith(() => Promise.reject(new Failure('unavailable', 'The bucket is full.')));
  assert.deepEqual(await one.watch.look(), [{ name: 'blobs', reason: 'The bucket is full.' }]);
  assert.deepEqual([one.watch.isUnavailable('blobs'), one.watch.isUnreadable('blobs')], [true, false]);
  one.answerWith(() => Promise.reject(new Failure('unavailable', 'The bucket is gone.')));
  assert.deepEqual(await one.watch.look(), [{ name: 'blobs', reason: 'The bucket is gone.' }]);
  assert.equal(one.watch.isUnreadable('blobs'), true);
  one.answerWith(async () => undefined);
  one.answerWritingWith(async () => undefined);
  await one.watch.look();
  assert.deepEqual([one.watch.isUnavailable('blobs'), one.watch.isUnreadable('blobs')], [false, false]);
});
