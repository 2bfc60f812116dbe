/** Tests that store health reports each outage and each recovery once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '@tapedeck/values/failure';
import { type StoreChange, StoreHealth } from './storeHealth.ts';

/** Watches a store that answers, fails or hangs on demand. */
function watchOne() {
  const told: StoreChange[] = [];
  let answer: () => Promise<void> = async () => undefined;
  let pings = 0;
  const watch = new StoreHealth(change => told.push(change));
  const ping = () => {
    pings += 1;
    return answer();
  };
  watch.add({ name: 'blobs', ping });
  return {
    watch,
    told,
    pingsOf: () => pings,
    answerWith: (next: () => Promise<void>) => {
      answer = next;
    },
    [Symbol.dispose]: () => watch[Symbol.dispose](),
  };
}

test('an absence is told once with its sentence, and the return once', async () => {
  using one = watchOne();
  await one.watch.look();
  one.answerWith(() => Promise.reject(new Failure('unavailable', 'The bucket is gone.')));
  for (let count = 0; count < 3; count++)
    assert.deepEqual(await one.watch.look(), [{ name: 'blobs', reason: 'The bucket is gone.' }]);
  assert.equal(one.watch.isAway('blobs'), true);
  one.answerWith(async () => undefined);
  assert.equal(await one.watch.lookAt('blobs'), false);
  await one.watch.look();
  assert.deepEqual(
    one.told.map(({ reason }) => reason),
    ['The bucket is gone.', null],
  );
});

test('what is no sentence for people is told as what was thrown', async () => {
  using one = watchOne();
  const error = new Error('secret inside');
  one.answerWith(() => Promise.reject(error));
  const [state] = await one.watch.look();
  assert.match(state?.reason ?? '', /^The check of blobs failed/);
  assert.equal(one.told[0]?.error, error);
});

test('all who ask meanwhile share one question, and silence is an absence that ends with the answer', async t => {
  using one = watchOne();
  const heard = Promise.withResolvers<void>();
  one.answerWith(() => heard.promise);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const looks = Array.from({ length: 5 }, () => one.watch.look());
  t.mock.timers.tick(5_000);
  await Promise.all(looks);
  t.mock.timers.reset();
  assert.equal(one.pingsOf(), 1);
  assert.match(one.watch.states[0]?.reason ?? '', /got no answer/);
  heard.resolve();
  assert.equal(await one.watch.lookAt('blobs'), false);
  assert.equal(one.told.length, 2);
});

test('nothing is told once it is over', async () => {
  const one = watchOne();
  one.watch[Symbol.dispose]();
  one.answerWith(() => Promise.reject(new Failure('unavailable', 'Closed.')));
  await one.watch.look();
  assert.deepEqual([one.told, one.pingsOf()], [[], 0]);
});
