/** A tail without entries can resume: the stream sends its position at the start and with each heartbeat. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCursorSigner } from '@tapedeck/domain/logs/search/pages';
import { keepSecret } from '../../src/stores/dataDirectory/secretFile.ts';
import { follow } from '../support/logFollowers.ts';
import { openLogClient } from '../support/logSender.ts';
import { makeDirectory, startTestService } from '../support/service.ts';

const yearMicros = 365 * 86_400_000_000;
const item = (message: string, changes: object = {}) => ({ level: 'info', message, ...changes });

test('a client without events misses nothing during a restart', async () => {
  await using directory = await makeDirectory();
  const marks: string[] = [];
  let token = '';
  {
    await using service = await startTestService({ dataDir: directory.path });
    const client = await openLogClient(service);
    token = client.token;
    await using follower = await follow(service.url, 'dataset=rare&level=error', { token });
    marks.push(await follower.takeId());
    await client.store([item('of no interest')], 'rare');
    marks.push(await follower.takeId(marks[0]));
    assert.deepEqual(follower.events, []);
  }
  await using service = await startTestService({ dataDir: directory.path });
  const headers = { authorization: token, 'content-type': 'application/json' };
  const body = JSON.stringify([item('missed', { level: 'error' })]);
  const stored = await service.fetch('/api/v3/logs?dataset=rare', { method: 'POST', headers, body });
  assert.equal(stored.status, 200);
  for (const [index, lastEventId] of marks.entries()) {
    await using resumed = await follow(service.url, 'dataset=rare&level=error', { token, lastEventId });
    assert.deepEqual(await resumed.takeBodies(1), ['missed']);
    await using all = await follow(service.url, 'dataset=rare', { token, lastEventId });
    const expected = index === 0 ? ['of no interest', 'missed'] : ['missed'];
    assert.deepEqual(await all.takeBodies(expected.length), expected);
  }
});

test('a mark never precedes a sent event, and names no entry', async () => {
  await using service = await startTestService();
  const { token, store } = await openLogClient(service);
  await using first = await follow(service.url, 'dataset=marked', { token });
  await store([item('one'), item('two'), item('three')], 'marked');
  await first.takeBodies(3);
  const [one] = first.events;
  await using resumed = await follow(service.url, 'dataset=marked', { token, lastEventId: one!.id });
  assert.deepEqual(await resumed.takeBodies(2), ['two', 'three']);
  assert.equal(resumed.ids[0], resumed.events[0]!.id, 'the start sends nothing older');
  const mark = await resumed.takeId(resumed.events.at(-1)!.id);
  const traceIdOf = (id: string) => Buffer.from(id, 'base64url').toString('hex', 8, 24);
  assert.equal(traceIdOf(one!.id), one!.entry.traceId);
  assert.equal(traceIdOf(mark), 'f'.repeat(32));
  await using after = await follow(service.url, 'dataset=marked', { token, lastEventId: mark });
  await store([item('four')], 'marked');
  assert.deepEqual(await after.takeBodies(1), ['four']);
});

test('a client that resumes where the clock was ahead learns an earlier position', async () => {
  await using service = await startTestService();
  const { token, store } = await openLogClient(service);
  const seal = createCursorSigner(await keepSecret(service.dataDir));
  const place = { micros: Date.now() * 1000 + yearMicros, traceId: 'f'.repeat(32) };
  const lastEventId = seal.encodeArrival(place);
  await using follower = await follow(service.url, 'dataset=ahead', { token, lastEventId });
  const mark = await follower.takeId();
  await store([item('new')], 'ahead');
  assert.deepEqual(await follower.takeBodies(1), ['new']);
  await using resumed = await follow(service.url, 'dataset=ahead', { token, lastEventId: mark });
  assert.deepEqual(await resumed.takeBodies(1), ['new']);
});
