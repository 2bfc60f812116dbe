/** Requests per minute and token: all requests in its name are counted, announced, refused, and allowed again. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { getMe } from '@tapedeck/contract/accounts';
import { reportSession } from '@tapedeck/contract/sdk';
import { describeToken } from '@tapedeck/contract/tokens';
import { describeRefusal, makeClient, withToken } from '../support/client.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startQuietService, type TestService } from '../support/service.ts';

const limit = (response: Response) =>
  ['limit', 'remaining', 'reset'].map(name => {
    const value = response.headers.get(`ratelimit-${name}`);
    return value === null ? null : Number(value);
  });

test('each token has its own count, which resets after a minute', async () => {
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

test('concurrent requests do not exceed the limit', async () => {
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

test('without the setting there are no limits and no headers', async () => {
  await using service = await startQuietService();
  const { token } = await addToken(await addPerson(service, { isOwner: true }));
  for (let count = 0; count < 20; count += 1) {
    const response = await withToken(service, token).send(describeToken);
    assert.equal(response.status, 200);
    assert.deepEqual(limit(response), [null, null, null]);
  }
});

test("requests of a token's sessions count towards the token", async () => {
  await using service = await startQuietService({ environment: { TAPEDECK_RATE_LIMIT: '20' } });
  const { token } = await addToken(await addPerson(service, { isOwner: true }), { kind: 'logs' });
  const sessions: string[] = [];
  for (let job = 0; job < 10; job += 1) {
    const query = { sdkType: 'server_b', universeId: 'u', jobId: String(job) };
    sessions.push((await withToken(service, token).call(reportSession, { query })).token);
  }
  const send = (credential: string) =>
    service.fetch('/api/v3/logs', {
      method: 'POST',
      headers: { authorization: credential, 'content-type': 'application/json' },
      body: '[{"level":"info","message":"counted"}]',
    });
  const remaining: (number | null | undefined)[] = [];
  for (const session of sessions) {
    const response = await send(session);
    assert.equal(response.status, 200);
    remaining.push(limit(response)[1]);
  }
  assert.deepEqual(remaining, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  for (const credential of [token, ...sessions])
    assert.equal(await describeRefusal(await send(credential)), '429 rate_limited');
});

const presignedRoutes = [
  ['POST', '/api/v3/file/presigned-url', '/api/v3/file/presigned-url'],
  ['PUT', '/api/v3/file/presigned-url', '/api/v3/file/presigned-url'],
  ['POST', '/api/presigned-url', '/api/presigned-url?fileType=image'],
  ['POST', '/api/v2/presigned-url', '/api/v2/presigned-url?fileType=image'],
] as const;

describe('an upload counts towards the token that created its URL:', () => {
  let service: TestService;
  before(async () => {
    service = await startQuietService({ environment: { TAPEDECK_RATE_LIMIT: '4' } });
  });
  after(() => service[Symbol.asyncDispose]());

  for (const [method, path, making] of presignedRoutes) {
    test(`${method} ${path}/{token}`, async () => {
      const { token } = await addToken(await addPerson(service, { isOwner: true }));
      const answer = await service.fetch(making, { headers: { authorization: token } });
      const url = /"(?:presignedUrl)":"[^"]*(\/api\/[^"]*)"/.exec(await answer.text())![1]!;
      const form = () => {
        const data = new FormData();
        data.append('image', new Blob(['no picture']), 'a.png');
        return data;
      };
      const upload = () => service.fetch(url, { method, body: form() });
      for (const remaining of [2, 1, 0]) {
        const response = await upload();
        assert.equal(response.status, 415);
        assert.deepEqual(limit(response).slice(0, 2), [4, remaining]);
      }
      const refused = await upload();
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      assert.equal(await describeRefusal(refused), '429 rate_limited');
      assert.equal(await withToken(service, token).refuse(describeToken), '429 rate_limited');
    });
  }
});

test('webhooks, legacy routes and tokens in the query count, on every ingest path', async () => {
  await using service = await startQuietService({ environment: { TAPEDECK_RATE_LIMIT: '6' } });
  const { token } = await addToken(await addPerson(service, { isOwner: true }), { kind: 'logs' });
  const headers = { 'content-type': 'application/json' };
  const entry = '{"level":"info","message":"counted"}';
  const ways: [path: string, body: string, headers: Record<string, string>][] = [
    [`/api/webhooks/1/${token}`, '{"content":"counted"}', headers],
    [`/api/logs?apiKey=${token}`, entry, headers],
    [`/api/v3/logs?apiKey=${token}`, `[${entry}]`, headers],
    ['/api/v3/logs', `[${entry}]`, { ...headers, authorization: token }],
    ['/api/v3/logs/chat', '{"content":"counted"}', { ...headers, authorization: token }],
    ['/api/logs/batch', `[${entry}]`, { ...headers, authorization: token }],
  ];
  const send = ([path, body, own]: (typeof ways)[number]) =>
    service.fetch(path, { method: 'POST', body, headers: own });
  for (const [index, way] of ways.entries()) {
    const response = await send(way);
    assert.ok(response.ok, `${way[0]}: ${response.status}`);
    assert.equal(limit(response)[1], ways.length - 1 - index);
  }
  for (const way of ways) assert.equal((await send(way)).status, 429);
});
