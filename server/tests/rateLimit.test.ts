/** Requests per minute and token: counted, announced, refused, and given again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getMe } from '../src/contract/accounts.ts';
import { describeToken } from '../src/contract/tokens.ts';
import { describeRefusal, makeClient, withToken } from './client.ts';
import { addPerson, addToken } from './people.ts';
import { startQuietService } from './service.ts';

const limit = (response: Response) =>
  ['limit', 'remaining', 'reset'].map(name => {
    const value = response.headers.get(`ratelimit-${name}`);
    return value === null ? null : Number(value);
  });

test('each token has its own count, which begins anew after a minute', async () => {
  await using service = await startQuietService({ environment: { TAPEDECK_RATE_LIMIT: '3' } });
  const owner = await addPerson(service, { isOwner: true });
  const [one, other] = await Promise.all(
    [1, 2].map(async () => withToken(service, (await addToken(owner)).token)),
  );
  for (const round of [1, 2]) {
    for (const remaining of [2, 1, 0]) {
      const response = await one!.send(describeToken);
      assert.equal(response.status, 200, `round ${round}`);
      const [most, left, reset] = limit(response);
      assert.deepEqual([most, left], [3, remaining]);
      assert.ok(reset! > 0 && reset! <= 60);
    }
    const refused = await one!.send(describeToken);
    const [most, left, reset] = limit(refused);
    assert.deepEqual([most, left], [3, 0]);
    assert.equal(Number(refused.headers.get('retry-after')), reset);
    assert.equal(await describeRefusal(refused), '429 rate_limited');
    service.clock.advance(reset! * 1000);
  }
  assert.equal(limit(await other!.send(describeToken))[1], 2);
});

test('many requests at once get no more than the limit', async () => {
  await using service = await startQuietService({ environment: { TAPEDECK_RATE_LIMIT: '10' } });
  const { token } = await addToken(await addPerson(service, { isOwner: true }));
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => withToken(service, token).send(describeToken)),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 10);
  assert.equal(answers.filter(({ status }) => status === 429).length, 20);
});

test('sessions and requests without a credential are not counted', async () => {
  await using service = await startQuietService({ environment: { TAPEDECK_RATE_LIMIT: '1' } });
  const owner = await addPerson(service, { isOwner: true });
  for (let count = 0; count < 3; count += 1) {
    const response = await owner.send(getMe);
    assert.equal(response.status, 200);
    assert.deepEqual(limit(response), [null, null, null]);
    assert.equal((await makeClient(service).send(describeToken)).status, 401);
  }
});

test('without the setting there is no limit, and no word of it', async () => {
  await using service = await startQuietService();
  const { token } = await addToken(await addPerson(service, { isOwner: true }));
  for (let count = 0; count < 20; count += 1) {
    const response = await withToken(service, token).send(describeToken);
    assert.equal(response.status, 200);
    assert.deepEqual(limit(response), [null, null, null]);
  }
});
