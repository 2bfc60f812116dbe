/** Channels: targets of notifications, signatures, and what happens to deliveries that a receiver refuses. */
import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { alertLimits } from '@tapedeck/alerting/kinds';
import { listProjectAudit } from '@tapedeck/contract/audit';
import * as contract from '@tapedeck/contract/channels';
import { listDeliveries, repeatDelivery } from '@tapedeck/contract/deliveries';
import { createRule } from '@tapedeck/contract/rules';
import { newId } from '@tapedeck/values/random-ids';
import { Webhook } from 'standardwebhooks';
import { addPerson, addProject, type Person } from '../support/people.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let owner: Person;
let receiver: Receiver;
const params = { project: 'default' };

before(async () => {
  receiver = await startReceiver();
  service = await startTestService({ environment: { TAPEDECK_OUTGOING_PRIVATE: 'true' } });
  owner = await addPerson(service, { isOwner: true });
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

async function addChannel(name: string, project = 'default') {
  const body = { name, kind: 'webhook', target: receiver.url } as const;
  const { channel, secret } = await owner.call(contract.createChannel, { params: { project }, body });
  return { channel, secret: secret!, place: { params: { project, channel: channel.id } } };
}

/** Puts a delivery into the outbox as a rule would. */
async function leaveDelivery(channel: string, event: object = {}): Promise<string> {
  const store = await service.openStore();
  const [id, now] = [newId(), service.clock.now()];
  const notification = {
    type: 'channel.test',
    at: now,
    project: 'default',
    url: service.url,
    channel: 'c',
    ...event,
  };
  const made = {
    messageId: id,
    event: JSON.stringify(notification),
    attempts: [],
    createdAt: now,
    endedAt: null,
  };
  const row = {
    id,
    channel,
    rule: null,
    type: notification.type,
    state: 'pending',
    dueAt: now,
    ...made,
  } as const;
  await store.write(({ deliveries }) => deliveries.insert([{ ...params, ...row }]));
  return id;
}

test('returns a target and its secret once, and never again', async () => {
  const { channel, secret } = await addChannel('shown');
  assert.match(secret, /^whsec_/);
  const { channels } = await owner.call(contract.listChannels, { params });
  assert.deepEqual(
    channels.find(({ id }) => id === channel.id),
    channel,
  );
  assert.ok(!JSON.stringify(channels).includes('secret-part'));
  const { entries } = await owner.call(listProjectAudit, { params });
  assert.ok(!JSON.stringify(entries).includes('secret-part'));
  assert.deepEqual(
    [entries[0]!.action, entries[0]!.details],
    ['channel.create', { name: 'shown', kind: 'webhook' }],
  );
});

test('signs a test and reports the response; after a rotation, signs with both secrets', async () => {
  const { secret, place } = await addChannel('tried');
  receiver.plan({ status: 418, body: 'short and stout' });
  const answer = await owner.call(contract.testChannel, place);
  assert.deepEqual([answer.status, answer.answer], [418, 'short and stout']);
  const { secret: fresh } = await owner.call(contract.rotateChannel, place);
  assert.notEqual(fresh, secret);
  assert.equal((await owner.call(contract.testChannel, place)).status, 200);
  const [first, second] = receiver.received.slice(-2);
  const verify = (held: string, { body, headers }: NonNullable<typeof first>) =>
    new Webhook(held).verify(body, headers as Record<string, string>) as { type: string };
  assert.equal(verify(secret, first!).type, 'channel.test');
  assert.equal(verify(secret, second!).type, 'channel.test');
  assert.equal(verify(fresh, second!).type, 'channel.test');
  assert.throws(() => verify(fresh, first!));
});

test('retries a failed delivery until it is accepted, but not a rejected one', async () => {
  const { channel } = await addChannel('moody');
  const before = receiver.received.length;
  receiver.plan({ status: 503, body: 'later' }, { status: 404 });
  const first = await leaveDelivery(channel.id);
  await receiver.wait(before + 1);
  const second = await leaveDelivery(channel.id);
  const received = (await receiver.wait(before + 3)).slice(before);
  assert.deepEqual(
    received.map(({ headers }) => headers['webhook-id']),
    [first, second, first],
  );
  assert.ok(received[2]!.at - received[0]!.at >= 4_900);
  const states = async () => {
    const { deliveries } = await owner.call(listDeliveries, { params, query: { channel: channel.id } });
    return new Map(deliveries.map(each => [each.id, each]));
  };
  // The receiver has the delivery before the service records that.
  while ((await states()).get(first)!.state === 'pending') await wait(50);
  const attempted = await states();
  assert.deepEqual(
    attempted.get(first)!.attempts.map(({ status, answer }) => [status, answer]),
    [
      [503, 'later'],
      [200, 'taken'],
    ],
  );
  assert.deepEqual([attempted.get(first)!.state, attempted.get(second)!.state], ['delivered', 'failed']);
  const { delivery } = await owner.call(repeatDelivery, { params: { ...params, delivery: second } });
  assert.equal(delivery.messageId, second);
  const [again] = (await receiver.wait(before + 4)).slice(-1);
  assert.deepEqual([again!.headers['webhook-id'], again!.body], [second, received[1]!.body]);
});

test('queues notifications beyond ten a minute, and sends one with their number', async () => {
  const { channel } = await addChannel('flooded');
  const before = receiver.received.length;
  const rule = {
    id: channel.id,
    name: 'flood',
    kind: 'count',
    query: '',
    dataset: null,
    by: 'map',
    condition: {},
  };
  const fired = {
    type: 'rule.fired',
    rule,
    count: 1,
    firedAt: 0,
    entries: [],
    windows: null,
    windowSeconds: 10,
  };
  const ids = [];
  for (let index = 0; index < 13; index++)
    ids.push(await leaveDelivery(channel.id, { ...fired, value: `v${index}` }));
  await receiver.wait(before + 10);
  await leaveDelivery(channel.id);
  const [event] = (await receiver.wait(before + 11)).slice(-1);
  assert.equal((JSON.parse(event!.body) as { type: string }).type, 'channel.test');
  service.clock.advance(61_000);
  const [merged] = (await receiver.wait(before + 12)).slice(-1);
  const { type, data } = JSON.parse(merged!.body) as { type: string; data: { count: number } };
  assert.deepEqual([type, data.count], ['rules.merged', 3]);
  assert.equal(receiver.received.length, before + 12);
});

test('does not delete a channel that rules use, and names the rules', async () => {
  const { channel, place } = await addChannel('used');
  const body = { name: 'Quiet "ones"', kind: 'session_quiet' as const, channels: [channel.id] };
  await owner.call(createRule, { params, body });
  const response = await owner.send(contract.deleteChannel, place);
  const answer = (await response.json()) as { code: string; error: string };
  assert.deepEqual([response.status, answer.code], [409, 'channel_in_use']);
  assert.match(answer.error, /Quiet "ones"/);
});

describe('rejects a channel', () => {
  const target = 'https://example.org/hook';
  const rows = [
    ['without an address', { name: 'x', kind: 'webhook', target: 'example' }, '400 invalid_field'],
    ['with another protocol', { name: 'x', kind: 'slack', target: 'ftp://example.org' }, '400 invalid_field'],
    ['with events that its kind does not support', { name: 'x', kind: 'discord', target, events: ['file.created'] }, '400 invalid_field'],
    ['with a name that is taken', { name: 'shown', kind: 'discord', target }, '409 name_taken'],
  ] as const; // biome-ignore format: a table
  for (const [name, body, expected] of rows) {
    it(name, async () => {
      const input = { params, body: { ...body, events: 'events' in body ? [...body.events] : [] } };
      assert.equal(await owner.refuse(contract.createChannel, input), expected);
    });
  }

  it('with a local address, where that is not allowed', async () => {
    await using other = await startTestService();
    const person = await addPerson(other, { isOwner: true });
    for (const address of ['http://127.0.0.1:9', 'http://[::ffff:10.0.0.1]/', 'http://2130706433/']) {
      const body = { name: 'x', kind: 'webhook', target: address } as const;
      assert.equal(
        await person.refuse(contract.createChannel, { params, body }),
        '400 invalid_field',
        address,
      );
    }
    const body = { name: 'x', kind: 'webhook', target: 'http://localhost:9' } as const;
    const { channel } = await person.call(contract.createChannel, { params, body });
    const answer = await person.call(contract.testChannel, { params: { ...params, channel: channel.id } });
    assert.equal(answer.status, null);
    assert.match(answer.answer, /private network/);
  });

  it("that does not exist, has no signature, or exceeds the project's limit", async () => {
    const place = { params: { ...params, channel: 'A'.repeat(20) } };
    assert.equal(await owner.refuse(contract.updateChannel, { ...place, body: {} }), '404 not_found');
    for (const route of [contract.deleteChannel, contract.testChannel, contract.rotateChannel])
      assert.equal(await owner.refuse(route as typeof contract.deleteChannel, place), '404 not_found');
    const delivery = { params: { ...params, delivery: 'A'.repeat(20) } };
    assert.equal(await owner.refuse(repeatDelivery, delivery), '404 not_found');
    const project = await addProject(owner, 'crowded');
    const body = { name: 'unsigned', kind: 'slack', target } as const;
    const { channel } = await owner.call(contract.createChannel, { params: { project }, body });
    const unsigned = { params: { project, channel: channel.id } };
    assert.equal(await owner.refuse(contract.rotateChannel, unsigned), '400 invalid_field');
    const { place: named } = await addChannel('named', project);
    const renamed = { ...named, body: { name: 'unsigned' } };
    assert.equal(await owner.refuse(contract.updateChannel, renamed), '409 name_taken');
    const { channel: off } = await owner.call(contract.updateChannel, { ...named, body: { enabled: false } });
    assert.deepEqual([off.enabled, off.offReason], [false, 'Switched off by hand.']);
    const store = await service.openStore();
    const sample = (await store.read.channels.find(channel.id))!;
    await store.write(async ({ channels }) => {
      for (let index = 2; index < alertLimits.channelsMax; index++)
        await channels.insert({ ...sample, id: newId(), name: `channel ${index}` });
    });
    const more = { params: { project }, body: { ...body, name: 'more' } };
    assert.equal(await owner.refuse(contract.createChannel, more), '400 invalid_field');
    await owner.call(contract.deleteChannel, unsigned);
  });
});
