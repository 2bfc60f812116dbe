/** Failed deliveries: when the service retries, in which order, and when it gives up. */
import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { listProjectAudit } from '@tapedeck/contract/audit';
import * as contract from '@tapedeck/contract/channels';
import { repeatDelivery } from '@tapedeck/contract/deliveries';
import { Webhook } from 'standardwebhooks';
import { leaveDeliveries, untilDeliveries } from '../support/outboxRows.ts';
import { addPerson, type Person } from '../support/people.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { makeDirectory, makeTestClock, startTestService, type TestService } from '../support/service.ts';

const params = { project: 'default' };
const environment = { TAPEDECK_OUTGOING_PRIVATE: 'true' };
const hourMs = 3_600_000;

let service: TestService;
let owner: Person;

before(async () => {
  service = await startTestService({ environment });
  owner = await addPerson(service, { isOwner: true });
});
after(() => service[Symbol.asyncDispose]());

async function addChannel(receiver: Receiver, kind: 'webhook' | 'discord' = 'webhook', person = owner) {
  const body = { name: receiver.url.slice(0, 100), kind, target: receiver.url };
  const { channel, secret } = await person.call(contract.createChannel, { params, body });
  return { id: channel.id, secret: secret!, place: { params: { ...params, channel: channel.id } } };
}

const idsOf = (receiver: Receiver) => receiver.received.map(({ headers }) => headers['webhook-id']);
const showChannel = async (id: string) =>
  (await owner.call(contract.listChannels, { params })).channels.find(one => one.id === id)!;

test('makes four attempts within 240 seconds, then fewer, with the same id and body', async () => {
  await using receiver = await startReceiver();
  receiver.always({ status: 500, body: 'not now' });
  const { id, secret } = await addChannel(receiver);
  const [delivery] = await leaveDeliveries(service, { channel: id, rule: 'one' });
  for (let attempts = 1; attempts < 8; attempts++) {
    const deliveries = await untilDeliveries(
      owner,
      id,
      all => all.get(delivery!)!.attempts.length === attempts,
    );
    const { dueAt } = deliveries.get(delivery!)!;
    service.clock.advance(Date.parse(dueAt) - service.clock.now());
  }
  const deliveries = await untilDeliveries(owner, id, all => all.get(delivery!)!.attempts.length === 8);
  const times = deliveries.get(delivery!)!.attempts.map(({ at }) => Date.parse(at));
  assert.ok(times[3]! - times[0]! <= 240_000, String(times[3]! - times[0]!));
  const pauses = times.slice(1).map((at, index) => at - times[index]!);
  assert.deepEqual(
    pauses,
    pauses.toSorted((one, other) => one - other),
    'each interval is longer',
  );
  assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1);
  assert.deepEqual(new Set(idsOf(receiver)), new Set([delivery]));
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size, 8);
  const { body, headers } = receiver.received.at(-1)!;
  const sentAt = Number(headers['webhook-timestamp']) * 1_000;
  assert.ok(Math.abs(sentAt - times.at(-1)!) < 2_000, 'the timestamp is that of the attempt');
  // The package compares timestamps with the system time, which differs from the test's clock.
  assert.throws(() => new Webhook(secret).verify(body, headers as Record<string, string>), /timestamp/);
});

describe('a delay of an hour that a target requests', () => {
  const inAnHour = () => new Date(service.clock.now() + hourMs).toUTCString();
  const rows: [string, () => { headers?: Record<string, string>; body?: string }][] = [
    ['in seconds', () => ({ headers: { 'retry-after': '3600' } })],
    ['as a date', () => ({ headers: { 'retry-after': inAnHour() } })],
    ["in Discord's format", () => ({ body: '{"message":"Slow down","retry_after":3600.5,"global":false}' })],
  ];
  for (const [name, answer] of rows) {
    it(`${name} applies to all notifications of the channel`, async () => {
      await using receiver = await startReceiver();
      const { id } = await addChannel(receiver, 'discord');
      receiver.always({ status: 429, ...answer() });
      const left = ['one', 'two', 'three'].map(rule => ({ channel: id, rule }));
      const ids = await leaveDeliveries(service, ...left);
      await untilDeliveries(owner, id, all => all.get(ids[0]!)!.attempts.length === 1);
      service.clock.advance(hourMs - 60_000);
      await leaveDeliveries(service, { channel: id, rule: 'four' });
      const other = await startReceiver();
      const { id: elsewhere } = await addChannel(other);
      await leaveDeliveries(service, { channel: elsewhere, rule: 'one' });
      await other.wait(1); // the service has checked the outbox meanwhile
      await other[Symbol.asyncDispose]();
      assert.equal(receiver.received.length, 1);
      receiver.always({ status: 204 });
      service.clock.advance(62_000);
      const deliveries = await untilDeliveries(owner, id, all =>
        [...all.values()].every(({ state }) => state === 'delivered'),
      );
      assert.equal(deliveries.get(ids[0]!)!.attempts[0]!.status, 429);
      const named = receiver.received.map(({ body }) => /Firing\W+(\w+)/.exec(body)![1]);
      assert.deepEqual(named, ['one', 'one', 'two', 'three', 'four']);
    });
  }
});

test('sends the notifications of one rule in order, and those of other rules do not wait for them', async () => {
  await using receiver = await startReceiver();
  const { id } = await addChannel(receiver);
  receiver.plan({ status: 503 });
  const notifications = [
    { channel: id, rule: 'one' },
    { channel: id, rule: 'one', type: 'rule.resolved' },
    { channel: id, rule: 'two' },
    { channel: id, type: 'file.created' },
  ] as const;
  const [fired, resolved, other, event] = await leaveDeliveries(service, ...notifications);
  await receiver.wait(3);
  assert.deepEqual(idsOf(receiver), [fired, other, event]);
  service.clock.advance(6_000);
  await receiver.wait(5);
  assert.deepEqual(idsOf(receiver).slice(3), [fired, resolved]);
});

test('disables a channel that fails for a day and reports it; a user can enable it again', async () => {
  await using receiver = await startReceiver();
  receiver.always({ status: 503, body: 'down' });
  const { id, place } = await addChannel(receiver);
  const [delivery] = await leaveDeliveries(service, { channel: id, rule: 'one' });
  for (let attempts = 1; ; attempts++) {
    const isTried = (all: Awaited<ReturnType<typeof untilDeliveries>>) =>
      all.get(delivery!)!.attempts.length >= attempts || all.get(delivery!)!.state === 'failed';
    const { state, dueAt } = (await untilDeliveries(owner, id, isTried)).get(delivery!)!;
    if (state === 'failed') break;
    assert.equal((await showChannel(id)).enabled, true);
    service.clock.advance(Math.max(Date.parse(dueAt) - service.clock.now(), 0));
  }
  const { attempts } = (await untilDeliveries(owner, id, () => true)).get(delivery!)!;
  const triedMs = Date.parse(attempts.at(-1)!.at) - Date.parse(attempts[0]!.at);
  assert.ok(triedMs >= 24 * hourMs && triedMs < 24.5 * hourMs, String(triedMs));
  assert.ok(attempts.length > 20 && attempts.length < 40, String(attempts.length));
  const off = await showChannel(id);
  assert.equal(off.enabled, false);
  assert.match(
    off.offReason!,
    /No delivery succeeded for a day; in the last attempt, the receiver answered 503\./,
  );
  const { entries } = await owner.call(listProjectAudit, { params });
  const line = entries.find(({ action, target }) => action === 'channel.switch_off' && target === id)!;
  assert.match(JSON.stringify(line.details), /answered 503/);
  receiver.always({ status: 200 });
  const before = receiver.received.length;
  const [late] = await leaveDeliveries(service, { channel: id, rule: 'two' });
  await owner.call(contract.testChannel, place);
  assert.equal(receiver.received.length, before + 1, 'only a test is sent');
  const { channel } = await owner.call(contract.updateChannel, { ...place, body: { enabled: true } });
  assert.deepEqual([channel.enabled, channel.offReason, channel.failingSince], [true, null, null]);
  await receiver.wait(before + 2);
  assert.equal(idsOf(receiver).at(-1), late);
});

test('sends all pending notifications once the target is changed or a test is accepted', async () => {
  await using broken = await startReceiver();
  await using mended = await startReceiver();
  broken.always({ status: 500 });
  const { id, place } = await addChannel(broken);
  const ids = await leaveDeliveries(service, { channel: id, rule: 'one' }, { channel: id, rule: 'two' });
  await untilDeliveries(owner, id, all => [...all.values()].every(({ attempts }) => attempts.length === 1));
  await owner.call(contract.updateChannel, { ...place, body: { target: mended.url } });
  await mended.wait(2);
  assert.deepEqual(idsOf(mended), ids);
  assert.equal(broken.received.length, 2);
  mended.plan({ status: 503 });
  const [third] = await leaveDeliveries(service, { channel: id, rule: 'three' });
  await untilDeliveries(owner, id, all => all.get(third!)!.attempts.length === 1);
  await owner.call(contract.testChannel, place);
  await mended.wait(5);
  assert.equal(idsOf(mended).at(-1), third);
  assert.equal((await showChannel(id)).failingSince, null);
});

test('sends a flood as ten notifications and one with the rest, in order and without repeats', async () => {
  await using receiver = await startReceiver();
  const { id } = await addChannel(receiver);
  receiver.plan({ status: 503 }); // the first rule's; its resolution must not arrive first
  const left = Array.from({ length: 700 }, (_, index) => ({ channel: id, rule: `rule ${index}` }));
  const ids = await leaveDeliveries(service, ...left);
  await receiver.wait(10);
  await leaveDeliveries(service, { channel: id, rule: 'rule 0', type: 'rule.resolved' });
  const repeat = { params: { ...params, delivery: ids[3]! } };
  await owner.call(repeatDelivery, repeat);
  const [event] = await leaveDeliveries(service, { channel: id, type: 'file.created' });
  await receiver.wait(11);
  assert.deepEqual(idsOf(receiver), [...ids.slice(0, 10), event], 'events fit');
  service.clock.advance(61_000);
  await receiver.wait(14);
  const notifications = receiver.received.slice(11).map(({ body }) => JSON.parse(body) as Notification);
  const merged = notifications.find(({ type }) => type === 'rules.merged')!;
  assert.deepEqual([merged.data.count, merged.data.fired, merged.data.resolved], [690, 690, 0]);
  assert.equal(merged.data.changes!.length, 200);
  assert.equal(merged.data.changes![0]!.rule.name, 'rule 10');
  assert.ok(idsOf(receiver).slice(11).includes(ids[3]), 'a repeat is sent separately');
  service.clock.advance(61_000);
  await receiver.wait(15);
  const first = receiver.received.map(({ body }) => JSON.parse(body) as Notification);
  const ofFirst = first.filter(({ data }) => data.rule?.name === 'rule 0').map(({ type }) => type);
  assert.deepEqual(ofFirst, ['rule.fired', 'rule.fired', 'rule.resolved']);
  const states = await untilDeliveries(owner, id, all =>
    [...all.values()].every(one => one.state !== 'pending'),
  );
  assert.ok([...states.values()].some(({ state }) => state === 'merged'));
});

type Notification = {
  type: string;
  data: {
    count: number;
    fired?: number;
    resolved?: number;
    changes?: { rule: { name: string } }[];
    rule?: { name: string };
  };
};

test('keeps deliveries for thirty days, and fails those of a disabled channel after one', async () => {
  await using directory = await makeDirectory();
  await using receiver = await startReceiver();
  const clock = makeTestClock();
  const start = () => startTestService({ environment, clock, dataDir: directory.path });
  let place: Awaited<ReturnType<typeof addChannel>>;
  const ids: string[] = [];
  {
    await using first = await start();
    const person = await addPerson(first, { isOwner: true });
    place = await addChannel(receiver, 'webhook', person);
    ids.push(...(await leaveDeliveries(first, { channel: place.id, rule: 'one' })));
    await untilDeliveries(person, place.id, all => all.get(ids[0]!)!.state === 'delivered');
    await person.call(contract.updateChannel, { ...place.place, body: { enabled: false } });
    ids.push(...(await leaveDeliveries(first, { channel: place.id, rule: 'two' })));
  }
  clock.advance(25 * hourMs);
  {
    await using second = await start();
    const person = await addPerson(second, { isOwner: true });
    const deliveries = await untilDeliveries(person, place.id, all => all.get(ids[1]!)!.state === 'failed');
    assert.equal(deliveries.size, 2);
  }
  clock.advance(29.5 * 24 * hourMs);
  await using third = await start();
  const person = await addPerson(third, { isOwner: true });
  const deliveries = await untilDeliveries(person, place.id, all => all.size === 1);
  assert.deepEqual([...deliveries.keys()], [ids[1]]);
});
