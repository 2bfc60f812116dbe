/** Rules over real HTTP with real receivers: each fires once and resolves once. */
import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createChannel, listChannels } from '@tapedeck/contract/channels';
import { listDeliveries, repeatDelivery } from '@tapedeck/contract/deliveries';
import { ingestLogs, queryLogs } from '@tapedeck/contract/logs';
import type { BodyOf } from '@tapedeck/contract/route';
import * as contract from '@tapedeck/contract/rules';
import { type Client, withToken } from '../support/client.ts';
import { until } from '../support/lostParts.ts';
import { addPerson, addProject, addToken, type Person } from '../support/people.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';

type Notification = {
  type: string;
  timestamp: string;
  data: { rule: { name: string }; value: string | null; count: number; entries: { message: string }[] };
};

let service: TestService;
let owner: Person;
let receiver: Receiver;
/** Maps rules to their channels. */
const channels = new Map<string, string>();
let logs: Client;
const params = { project: 'default' };

before(async () => {
  receiver = await startReceiver();
  service = await startTestService({ environment: { TAPEDECK_OUTGOING_PRIVATE: 'true' } });
  owner = await addPerson(service, { isOwner: true });
  logs = withToken(service, (await addToken(owner, { kind: 'logs' })).token);
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** Adds a rule with a separate channel, since a channel sends at most ten notifications a minute. */
async function addRule(body: Partial<BodyOf<typeof contract.createRule>>) {
  const target = { name: body.name ?? 'channel', kind: 'webhook', target: receiver.url } as const;
  const { channel } = await owner.call(createChannel, { params, body: target });
  const { rule } = await owner.call(contract.createRule, {
    params,
    body: { name: 'rule', kind: 'count', windowSeconds: 10, channels: [channel.id], ...body },
  });
  channels.set(rule.id, channel.id);
  return { ...params, rule: rule.id };
}

const say = (...entries: { message: string; metadata?: Record<string, string> }[]) =>
  logs.call(ingestLogs, { body: entries.map(entry => ({ level: 'info', ...entry })) as never });

/** Returns the rule's notifications once `count` have arrived. */
async function untilNotified(name: string, count: number): Promise<Notification[]> {
  for (let seen = 0; ; ) {
    const notifications = receiver.received
      .map(({ body }) => JSON.parse(body) as Notification) // the notifications package writes this shape
      .filter(({ data }) => data.rule?.name === name);
    if (notifications.length >= count) return notifications;
    seen = receiver.received.length;
    await receiver.wait(seen + 1);
  }
}

/** Waits, because the receiver has a notification before the service records that. */
async function untilDelivered(rule: string) {
  const query = { channel: channels.get(rule)! };
  for (const deadline = Date.now() + 20_000; ; await wait(50)) {
    const { deliveries } = await owner.call(listDeliveries, { params, query });
    if (deliveries.every(({ state }) => state !== 'pending') || Date.now() > deadline) return deliveries;
  }
}

const describeAll = (notifications: readonly Notification[]) =>
  notifications.map(({ type, data: { value } }) => (value === null ? type : `${type} ${value}`)).sort();

describe('a rule', { concurrency: true }, () => {
  it('fires once and is resolved once, with its history and its deliveries', async () => {
    const place = await addRule({ name: 'burning', query: '"it burns"', condition: { op: '>=', value: 3 } });
    const sentAt = Date.now();
    await say({ message: 'It burns 1' }, { message: 'it burns 2' }, { message: 'all is well' });
    await say({ message: 'it BURNS 3' });
    const [fired] = await untilNotified('burning', 1);
    assert.deepEqual([fired!.type, fired!.data.count], ['rule.fired', 3]);
    assert.equal(fired!.data.entries.length, 3);
    assert.ok(Date.parse(fired!.timestamp) - sentAt < 20_000);
    const counts = async (line: RegExp) => line.test(await (await fetch(`${service.url}/metrics`)).text());
    await until(() => counts(/^tapedeck_rules_firing [1-9]/m), 'the evaluation ended, and metrics count it');
    assert.ok(await counts(/^tapedeck_rules_behind_seconds \d/m));
    const shown = (await owner.call(contract.getRule, { params: place })).rule;
    assert.deepEqual([shown.state, shown.firing.length, shown.trouble], ['firing', 1, null]);
    await say({ message: 'it burns on' });
    const notifications = await untilNotified('burning', 2);
    assert.deepEqual(describeAll(notifications), ['rule.fired', 'rule.resolved']);
    const { changes } = await owner.call(contract.listRuleHistory, { params: place });
    assert.deepEqual(
      changes.map(({ kind, muted }) => [kind, muted]),
      [
        ['resolved', false],
        ['fired', false],
      ],
    );
    const own = await untilDelivered(place.rule);
    assert.deepEqual(
      own.map(({ type, state, attempts }) => [type, state, attempts.map(({ status }) => status)]),
      [
        ['rule.resolved', 'delivered', [200]],
        ['rule.fired', 'delivered', [200]],
      ],
    );
    assert.equal((await owner.call(contract.getRule, { params: place })).rule.state, 'quiet');
    const repeat = { params: { ...params, delivery: own[1]!.id } };
    const { delivery } = await owner.call(repeatDelivery, repeat);
    assert.equal(delivery.messageId, own[1]!.messageId);
    const again = await untilNotified('burning', 3);
    assert.deepEqual(again.filter(({ type }) => type === 'rule.fired')[1], fired);
  });

  it('counts from its creation, though one query serves all rules', async () => {
    const addCounting = (name: string, value: number) =>
      addRule({ name, query: '"one by one"', windowSeconds: 300, condition: { op: '>=', value } });
    const beyond: { project: string; rule: string }[] = [];
    for (const value of [5, 4, 3, 2, 1]) {
      await addCounting(`${value} to come`, value);
      beyond.push(await addCounting(`more than ${value}`, value + 1));
      await say({ message: 'one by one' });
      await logs.call(queryLogs, { query: { query: '"one by one"' } }); // makes the service store it before the next rule exists
    }
    for (const value of [5, 4, 3, 2, 1])
      assert.equal((await untilNotified(`${value} to come`, 1))[0]!.data.count, value);
    for (const place of beyond)
      assert.equal((await owner.call(contract.getRule, { params: place })).rule.state, 'quiet');
  });

  it('has a state for each value', async () => {
    await addRule({
      name: 'maps',
      query: 'kind:split',
      by: 'metadata.map',
      condition: { op: '>=', value: 2 },
    });
    const visit = (map: string) => ({ message: 'visited', metadata: { kind: 'split', map } });
    await say(visit('harbour'), visit('tower'), visit('harbour'), visit('field'), visit('tower'));
    assert.deepEqual(describeAll(await untilNotified('maps', 4)), [
      'rule.fired harbour',
      'rule.fired tower',
      'rule.resolved harbour',
      'rule.resolved tower',
    ]);
  });

  it('fires when entries fall silent', async () => {
    await addRule({ name: 'silence', query: '"heart beats"', condition: { op: '<', value: 1 } });
    await say({ message: 'the heart beats' });
    assert.deepEqual(describeAll(await untilNotified('silence', 1)), ['rule.fired']);
    await say({ message: 'the heart beats' });
    assert.deepEqual(describeAll(await untilNotified('silence', 2)), ['rule.fired', 'rule.resolved']);
  });

  it('fires on a multiple of the previous count', async () => {
    await addRule({ name: 'more', kind: 'change', query: '"knocks"', condition: { value: 2, factor: 3 } });
    await say({ message: 'somebody knocks' }, { message: 'somebody knocks' });
    assert.deepEqual(describeAll(await untilNotified('more', 2)), ['rule.fired', 'rule.resolved']);
  });

  it('fires on a pattern seen for the first time', async () => {
    await say({ message: 'The cellar has 7 doors of oak' });
    await addRule({ name: 'news', kind: 'new_pattern', query: '"cellar"' });
    await say({ message: 'The cellar has 9 doors of oak' }, { message: 'A cellar without any windows' });
    const notifications = await untilNotified('news', 2);
    assert.deepEqual(
      notifications.map(({ type }) => type),
      ['rule.fired', 'rule.resolved'],
    );
    assert.deepEqual(
      notifications[0]!.data.entries.map(({ message }) => message),
      ['A cellar without any windows'],
    );
  });

  it('is resolved when it is disabled, changed or deleted', async () => {
    const ruleBody = { query: '"sirens"', condition: { op: '>=', value: 1 }, windowSeconds: 3_600 } as const;
    const off = await addRule({ ...ruleBody, name: 'off' });
    const other = await addRule({ ...ruleBody, name: 'asks other things' });
    const removed = await addRule({ ...ruleBody, name: 'gone' });
    await say({ message: 'the sirens' });
    for (const name of ['off', 'asks other things', 'gone']) await untilNotified(name, 1);
    await owner.call(contract.updateRule, { params: off, body: { enabled: false } });
    await owner.call(contract.updateRule, { params: other, body: { query: '"bells"' } });
    await owner.call(contract.deleteRule, { params: removed });
    for (const name of ['off', 'asks other things', 'gone'])
      assert.deepEqual(describeAll(await untilNotified(name, 2)), ['rule.fired', 'rule.resolved'], name);
    for (const place of [off, other]) {
      const { rule } = await owner.call(contract.getRule, { params: place });
      assert.deepEqual([rule.state, rule.firing], ['quiet', []]);
      const { changes } = await owner.call(contract.listRuleHistory, { params: place });
      assert.deepEqual(
        changes.map(({ kind }) => kind),
        ['resolved', 'fired'],
      );
    }
  });

  it('fires with more values than it has states for', async () => {
    const ruleBody = { query: 'kind:crowd', condition: { op: '>=', value: 2 }, windowSeconds: 60 } as const;
    const place = await addRule({ ...ruleBody, name: 'crowd', by: 'metadata.guest' });
    const guests = Array.from({ length: 5_000 }, (_, number) => `guest ${number}`);
    const enter = (guest: string) => ({ message: 'entered', metadata: { kind: 'crowd', guest } });
    await say(...guests.map(enter), enter('guest 7'));
    const [notification] = await untilNotified('crowd', 1);
    assert.deepEqual([notification!.type, notification!.data.value], ['rule.fired', 'guest 7']);
    const { rule } = await owner.call(contract.getRule, { params: place });
    assert.deepEqual([rule.crowded, rule.trouble, rule.firing.length], [true, null, 1]);
  });

  it('notifies at the end of a mute if it is still firing', async () => {
    const mutedUntil = new Date(service.clock.now() + 20_000).toISOString();
    const ruleBody = { query: '"psst"', condition: { op: '>=', value: 1 }, windowSeconds: 60 } as const;
    const place = await addRule({ ...ruleBody, name: 'muted', mutedUntil });
    await say({ message: 'psst' });
    const [notification] = await untilNotified('muted', 1);
    assert.ok(notification!.timestamp >= mutedUntil);
    const { changes } = await owner.call(contract.listRuleHistory, { params: place });
    assert.deepEqual([changes.at(-1)!.kind, changes.at(-1)!.muted], ['fired', true]);
  });
});

test('previews how often it would have fired, and saves nothing', async () => {
  await say(...Array.from({ length: 5 }, () => ({ message: 'previewed' })));
  const body = { kind: 'count', query: 'previewed', condition: { op: '>=', value: 5 } } as const;
  const { fired, times, windows } = await owner.call(contract.previewRule, { params, body });
  assert.deepEqual([fired, times.length], [1, 1]);
  const [series] = windows!.series;
  assert.deepEqual([series!.value, series!.highest.length, Math.max(...series!.highest)], [null, 336, 5]);
  const more = { ...body, condition: { op: '>=', value: 6 } } as const;
  assert.equal((await owner.call(contract.previewRule, { params, body: more })).fired, 0);
});

describe('rejects a rule', () => {
  type Body = Omit<BodyOf<typeof contract.createRule>, 'name'> & { name?: string };
  const rows: readonly [string, Body, string, string?][] = [
    ['with an incomplete query', { kind: 'count', query: '(a', condition: { op: '<', value: 1 } }, '400 query_invalid', 'position'],
    ['without a condition', { kind: 'count' }, '400 invalid_field', 'condition.op'],
    ['with a factor that has no effect', { kind: 'count', condition: { op: '<', value: 1, factor: 2 } }, '400 invalid_field', 'condition.factor'],
    ['with a window that is too short', { kind: 'count', windowSeconds: 9, condition: { op: '<', value: 1 } }, '400 invalid_field', 'windowSeconds'],
    ['with a condition that always holds', { kind: 'count', condition: { op: '>=', value: 0 } }, '400 invalid_field', 'condition.value'],
    ['with a threshold above the quota', { kind: 'storage', condition: { value: 101 } }, '400 invalid_field', 'condition.value'],
    ['with a query in a storage rule', { kind: 'storage', query: 'a', condition: { value: 90 } }, '400 invalid_field', 'query'],
    ['split by an unsuitable field', { kind: 'count', by: 'body', condition: { op: '>=', value: 1 } }, '400 invalid_field', 'by'],
    ['with an unknown channel', { kind: 'session_quiet', channels: ['A'.repeat(20)] }, '400 invalid_field', 'channels'],
    ['with an invalid mute', { kind: 'session_quiet', mutedUntil: 'Monday' }, '400 invalid_field', 'mutedUntil'],
  ]; // biome-ignore format: a table
  for (const [name, body, expected, field] of rows) {
    it(name, async () => {
      const response = await owner.send(contract.createRule, { params, body: { name: 'x', ...body } });
      const answer = (await response.json()) as { code: string; field?: string; position?: number };
      assert.equal(`${response.status} ${answer.code}`, expected);
      if (field === 'position') assert.equal(typeof answer.position, 'number');
      else assert.equal(answer.field, field);
    });
  }

  it('with a name that is taken, by members, and once it is deleted', async () => {
    const body = { name: 'once', kind: 'session_quiet', enabled: false } as const;
    const place = { params: { ...(await addRule(body)) } };
    assert.equal(await owner.refuse(contract.createRule, { params, body }), '409 name_taken');
    const other = await addRule({ ...body, name: 'other' });
    assert.equal(
      await owner.refuse(contract.updateRule, { params: other, body: { name: 'once' } }),
      '409 name_taken',
    );
    const member = await addPerson(service, { roles: { default: 'member' } });
    assert.equal(await member.refuse(contract.createRule, { params, body }), '403 role_missing');
    assert.equal(await member.refuse(contract.deleteRule, place), '403 role_missing');
    assert.equal((await member.call(contract.listRules, { params })).rules.length > 0, true);
    assert.equal((await member.call(listChannels, { params })).channels.length > 1, true);
    await owner.call(contract.deleteRule, place);
    for (const route of [contract.getRule, contract.deleteRule, contract.listRuleHistory] as const)
      assert.equal(await owner.refuse<typeof contract.getRule>(route as never, place), '404 not_found');
    const half = { body: { query: '(a', kind: 'count' as const, condition: { op: '<' as const, value: 1 } } };
    assert.equal(await owner.refuse(contract.updateRule, { params: other, ...half }), '400 query_invalid');
    assert.equal(
      await owner.refuse(contract.previewSavedRule, { params: other, ...half }),
      '400 query_invalid',
    );
    assert.equal(await owner.refuse(contract.previewRule, { params, ...half }), '400 query_invalid');
    assert.equal(await owner.refuse(contract.updateRule, { ...place, body: {} }), '404 not_found');
    assert.equal(await owner.refuse(contract.previewSavedRule, { ...place, body: {} }), '404 not_found');
    const project = await addProject(owner, 'elsewhere');
    assert.equal(
      await owner.refuse(contract.getRule, { params: { project, rule: other.rule } }),
      '404 not_found',
    );
  });
});
