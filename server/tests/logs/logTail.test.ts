/** Follows entries over HTTP: which entries arrive, in which order, for whom, and where a tail resumes after a break. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { revokeToken } from '@tapedeck/contract/tokens';
import { findPattern } from '@tapedeck/log-patterns';
import { describeRefusal } from '../support/client.ts';
import { type Follower, follow } from '../support/logFollowers.ts';
import { openLogClient } from '../support/logSender.ts';
import { addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { owner, token, get, store } = await openLogClient(service);
const item = (message: string, changes: object = {}) => ({ level: 'info', message, ...changes });
const dayMs = 86_400_000;

function listen(query: string, lastEventId?: string): Promise<Follower> {
  return follow(service.url, query, { token, ...(lastEventId !== undefined && { lastEventId }) });
}

test('sends new entries unchanged, in order, and no earlier ones', async () => {
  await store([item('before')], 'plain');
  await using follower = await listen('dataset=plain');
  await store([item('one', { resource: 'r', metadata: { a: { b: 1 } } }), item('two')], 'plain');
  await store([item('three')], 'plain');
  assert.deepEqual(await follower.takeBodies(3), ['one', 'two', 'three']);
  const { traceId, timestamp, ...shown } = follower.events[0]!.entry;
  assert.deepEqual(shown, {
    parentId: '',
    dataset: 'plain',
    level: 'info',
    resource: 'r',
    body: 'one',
    pattern: findPattern('one').pattern,
    metadata: { 'a.b': '1' },
  });
  const found = (await (await get(`/${traceId}`)).json()) as { data: unknown };
  assert.deepEqual(found.data, { traceId, timestamp, ...shown });
});

test('filters on the server', async () => {
  const queries = [
    ['dataset=filters&level=error', ['e1']],
    ['dataset=filters&resource=db', ['i2']],
    ['dataset=filters&body=I', ['i1', 'i2']],
    ['dataset=filters&q=vienna', ['i1']],
    ['dataset=filters&metadata.city=Vienna&level=info,error', ['i1']],
    ['dataset=*&level=error', ['e1', 'elsewhere']],
    ['dataset=filters&from=2100-01-01T00:00:00Z', []],
  ] as const;
  const followers = await Promise.all(queries.map(([query]) => listen(query)));
  await store(
    [
      item('i1', { metadata: { city: 'Vienna' } }),
      item('i2', { resource: 'db' }),
      item('e1', { level: 'error' }),
    ],
    'filters',
  );
  await store([item('elsewhere', { level: 'error' })], 'other');
  for (const [index, [query, expected]] of queries.entries()) {
    assert.deepEqual(await followers[index]!.takeBodies(expected.length), [...expected], query);
  }
  await store([item('e1', { level: 'error' })], 'last');
  assert.deepEqual(followers.at(-1)!.events, []);
  for (const follower of followers) await follower[Symbol.asyncDispose]();
});

test('filters of hundreds of values block nobody', async () => {
  const all = Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`k${index}`, 'x']));
  const query = new URLSearchParams(Object.entries(all).map(([key, value]) => [`metadata.${key}`, value]));
  const quiet = await Promise.all(Array.from({ length: 7 }, () => listen(`dataset=long&${query}`)));
  await using follower = await listen('dataset=long');
  await store([item('without'), item('with', { metadata: all })], 'long');
  assert.deepEqual(await follower.takeBodies(2), ['without', 'with']);
  for (const one of quiet) {
    assert.deepEqual(await one.takeBodies(1), ['with']);
    await one[Symbol.asyncDispose]();
  }
});

test('sends entries only to their own project', async () => {
  const other = await addToken(owner, { kind: 'logs', project: await addProject(owner, 'apart') });
  await using mine = await listen('dataset=*');
  await using theirs = await follow(service.url, 'dataset=*', { token: other.token });
  await store([item('mine')], 'shared');
  await store([item('theirs')], 'shared', { authorization: other.token });
  assert.deepEqual(await theirs.takeBodies(1), ['theirs']);
  await store([item('mine again')], 'shared');
  assert.deepEqual(await mine.takeBodies(2), ['mine', 'mine again']);
});

test('resumes after the last event, whatever the entry times are, without a gap or a repeat', async () => {
  const received: string[] = [];
  const sent: string[] = [];
  let isDone = false;
  const write = async () => {
    for (let number = 0; !isDone; number++) {
      // Some times are ahead, others far back.
      const timestamp = Date.now() + (number % 3 === 0 ? dayMs / 2 : number % 3 === 1 ? -40 * dayMs : 0);
      const batch = Array.from({ length: 1 + (number % 4) }, (_, index) => `${number}.${index}`);
      await store(
        batch.map(message => item(message, { timestamp })),
        'resumed',
      );
      sent.push(...batch);
    }
  };
  let follower = await listen('dataset=resumed');
  const writing = write();
  for (let round = 0; round < 12; round++) {
    const bodies = await follower.takeBodies(1 + ((round * 5) % 11));
    received.push(...bodies);
    await follower[Symbol.asyncDispose]();
    follower = await listen('dataset=resumed', follower.events[bodies.length - 1]!.id);
  }
  isDone = true;
  await writing;
  received.push(...(await follower.takeBodies(sent.length - received.length)));
  assert.deepEqual(received.toSorted(), sent.toSorted());
  await store([item('end')], 'resumed');
  assert.deepEqual(await follower.takeBodies(1), ['end'], 'nothing is sent twice');
  await follower[Symbol.asyncDispose]();
});

test('sends one insert once to each connected client, and to one that resumes in its middle', async () => {
  const count = 3_000;
  await using first = await listen('dataset=once');
  await store(
    Array.from({ length: count }, (_, index) => item(`entry ${index}`)),
    'once',
  );
  await first.takeBodies(1);
  const later = await Promise.all([0, 1, 2].map(() => listen('dataset=once', first.events[0]!.id)));
  await first.takeBodies(count - 1);
  for (const follower of later) await follower.takeBodies(count - 1);
  await store([item('the last')], 'once');
  for (const follower of [first, ...later]) {
    assert.deepEqual(await follower.takeBodies(1), ['the last']);
    assert.equal(new Set(follower.events.map(({ id }) => id)).size, follower.events.length);
    if (follower !== first) await follower[Symbol.asyncDispose]();
  }
});

test('HEAD returns the headers of a tail, and ends', async () => {
  const headers = { authorization: token };
  const response = await service.fetch('/api/v3/logs/tail', { method: 'HEAD', headers });
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
});

test('a resumed tail filters the missed entries too', async () => {
  await using first = await listen('dataset=missed');
  await store([item('start')], 'missed');
  await first.takeBodies(1);
  const many = Array.from({ length: 5_000 }, (_, index) =>
    item(`m${index}`, { level: index % 100 ? 'debug' : 'warn' }),
  );
  await store(many, 'missed');
  await using resumed = await listen('dataset=missed&level=warn', first.events[0]!.id);
  const bodies = await resumed.takeBodies(50);
  assert.deepEqual(
    bodies,
    Array.from({ length: 50 }, (_, index) => `m${index * 100}`),
  );
});

for (const lastEventId of ['nonsense', 'A'.repeat(43), `${'A'.repeat(42)}=`]) {
  test(`rejects the Last-Event-ID ${lastEventId}`, async () => {
    const response = await get('/tail', { 'last-event-id': lastEventId });
    assert.equal(await describeRefusal(response), '400 invalid_field');
  });
}

test('rejects an invalid request before it begins', async () => {
  for (const query of ['level=none', 'from=now', 'dataset=a%20b']) {
    assert.equal(await describeRefusal(await get(`/tail?${query}`)), '400 invalid_field');
  }
});

test('a slow reader falls behind alone, and misses nothing when it resumes', async () => {
  const sent = request(`${service.url}/api/v3/logs/tail?dataset=slow`, { headers: { authorization: token } });
  const [slow] = await once(sent.end(), 'response');
  slow.on('error', () => {}); // this side ends it
  await once(slow, 'readable'); // the comment that begins the stream
  await using quick = await listen('dataset=slow');
  // More than all buffers on the way hold.
  const items = Array.from({ length: 100 }, (_, index) =>
    item(`${index}`, { metadata: { noise: 'x'.repeat(16_000) } }),
  );
  const batches = 12;
  for (let batch = 0; batch < batches; batch++) await store(items, 'slow');
  assert.equal((await quick.takeBodies(batches * items.length)).length, batches * items.length);
  let received = 0;
  const all = Promise.withResolvers<void>();
  const lines = createInterface({ input: slow });
  lines.on('error', () => {}); // this side ends it
  lines.on('line', line => {
    if (line.startsWith('id: ') && ++received === batches * items.length) all.resolve();
  });
  await all.promise;
  sent.destroy();
});

test('a tail ends within a second of its token being revoked', async () => {
  const held = await addToken(owner, { kind: 'logs' });
  await using follower = await follow(service.url, 'dataset=*', { token: held.token });
  await owner.call(revokeToken, { params: { project: 'default', token: held.id } });
  const revokedAt = performance.now();
  await follower.ended;
  assert.ok(performance.now() - revokedAt < 1_500);
});
