/** Acknowledged alerts, severities that channels filter by, and warnings about rules and channels. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { listProjectAudit } from '@tapedeck/contract/audit';
import { createChannel, updateChannel } from '@tapedeck/contract/channels';
import { ingestLogs } from '@tapedeck/contract/logs';
import type { BodyOf } from '@tapedeck/contract/route';
import * as contract from '@tapedeck/contract/rules';
import { type Client, withToken } from '../support/client.ts';
import { addPerson, addToken, type Person } from '../support/people.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let owner: Person;
let receiver: Receiver;
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

type RuleBody = Partial<BodyOf<typeof contract.createRule>>;

async function addRule(body: RuleBody): Promise<{ project: string; rule: string }> {
  const ruleBody = {
    name: 'rule',
    kind: 'count',
    windowSeconds: 3_600,
    condition: { op: '>=', value: 1 },
  } as const;
  const { rule } = await owner.call(contract.createRule, { params, body: { ...ruleBody, ...body } });
  return { ...params, rule: rule.id };
}

async function addChannel(body: Partial<BodyOf<typeof createChannel>> & { name: string }) {
  const target = { kind: 'webhook', target: receiver.url } as const;
  return (await owner.call(createChannel, { params, body: { ...target, ...body } })).channel;
}

const say = (...messages: string[]) =>
  logs.call(ingestLogs, {
    body: messages.map(message => ({ level: 'error', message, metadata: { map: message } })) as never,
  });

type Shown = Awaited<ReturnType<typeof getRule>>;
const getRule = async (place: { project: string; rule: string }) =>
  (await owner.call(contract.getRule, { params: place })).rule;

async function untilRule(
  place: { project: string; rule: string },
  isSo: (rule: Shown) => boolean,
): Promise<Shown> {
  for (const deadline = Date.now() + 100_000; ; await wait(100)) {
    const rule = await getRule(place);
    if (isSo(rule)) return rule;
    assert.ok(Date.now() < deadline, JSON.stringify(rule));
  }
}

const toldOf = (name: string) =>
  receiver.received.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.rule?.name === name);

type Notification = { type: string; data: { entries: { message: string }[] } };

async function untilNotified(name: string, count: number): Promise<Notification[]> {
  while (toldOf(name).length < count) await receiver.wait(receiver.received.length + 1);
  return toldOf(name);
}

describe('a firing alert', { concurrency: true }, () => {
  it('is acknowledged by a user until it is resolved', async () => {
    const place = await addRule({ name: 'fire', query: '"the roof burns"' });
    assert.equal(
      await owner.refuse(contract.acknowledgeAlert, { params: place, body: {} }),
      '409 not_firing',
    );
    await say('the roof burns');
    const quiet = await untilRule(place, ({ state }) => state === 'firing');
    assert.equal(quiet.firing[0]!.acknowledged, null);
    const { rule } = await owner.call(contract.acknowledgeAlert, { params: place, body: {} });
    const acknowledged = rule.firing[0]!.acknowledged!;
    assert.equal(acknowledged.by, `user ${owner.email}`);
    assert.ok(Math.abs(Date.parse(acknowledged.at) - service.clock.now()) < 60_000);
    const later = await addRule({ name: 'later', query: '"the roof burns"' });
    await say('the roof burns');
    await untilRule(later, ({ state }) => state === 'firing'); // the service evaluates all rules together
    assert.deepEqual((await getRule(place)).firing[0]!.acknowledged, acknowledged);
    const { changes } = await owner.call(contract.listRuleHistory, { params: place });
    assert.deepEqual(
      changes.map(({ kind, by }) => [kind, by]),
      [
        ['acknowledged', `user ${owner.email}`],
        ['fired', null],
      ],
    );
    assert.deepEqual(
      changes[1]!.entries.map(({ level, message }) => [level, message]),
      [['error', 'the roof burns']],
    );
    const audit = await owner.call(listProjectAudit, { params });
    assert.ok(
      audit.entries.some(({ action, target }) => action === 'alert.acknowledge' && target === place.rule),
    );
    await owner.call(contract.updateRule, { params: place, body: { enabled: false } });
    await owner.call(contract.updateRule, { params: place, body: { enabled: true } });
    await say('the roof burns');
    const again = await untilRule(place, ({ state }) => state === 'firing');
    assert.equal(again.firing[0]!.acknowledged, null);
  });

  it('is acknowledged for a single value', async () => {
    const place = await addRule({ name: 'maps', query: '"tower" OR "harbour"', by: 'metadata.map' });
    await say('tower', 'harbour');
    await untilRule(place, ({ firing }) => firing.length === 2);
    const body = { value: 'tower' };
    const { rule } = await owner.call(contract.acknowledgeAlert, { params: place, body });
    assert.deepEqual(
      rule.firing.map(({ value, acknowledged }) => [value, acknowledged !== null]).toSorted(),
      [
        ['harbour', false],
        ['tower', true],
      ],
    );
    const other = { params: place, body: { value: 'field' } };
    assert.equal(await owner.refuse(contract.acknowledgeAlert, other), '409 not_firing');
  });

  it('does not notify at the end of a mute if someone has acknowledged it', async () => {
    const channel = await addChannel({ name: 'mutes' });
    const mutedUntil = new Date(service.clock.now() + 20_000).toISOString();
    const ruleBody = { query: '"psst"', channels: [channel.id], mutedUntil };
    const place = await addRule({ ...ruleBody, name: 'acknowledged' });
    await addRule({ ...ruleBody, name: 'left alone' });
    await say('psst');
    await untilRule(place, ({ state }) => state === 'firing');
    await owner.call(contract.acknowledgeAlert, { params: place, body: {} });
    await untilNotified('left alone', 1);
    assert.deepEqual(toldOf('acknowledged'), []);
  });

  it('shows no entries that arrived before its rule existed', async () => {
    await say('the old storm');
    const channel = await addChannel({ name: 'storms' });
    await addRule({ name: 'storms', query: 'storm', channels: [channel.id] });
    await say('the new storm');
    const [fired] = await untilNotified('storms', 1);
    assert.deepEqual(
      fired?.data.entries.map(({ message }) => message),
      ['the new storm'],
    );
  });

  it('is sent to channels that accept its severity', async () => {
    const all = await addChannel({ name: 'all' });
    const critical = await addChannel({ name: 'critical', severities: ['critical'] });
    const channels = [all.id, critical.id];
    const mild = await addRule({ name: 'mild', query: '"drips"', channels });
    await addRule({ name: 'severe', severity: 'critical', query: '"drips"', channels });
    assert.equal((await getRule(mild)).severity, 'warning');
    await say('it drips');
    await untilNotified('severe', 2);
    await untilNotified('mild', 1);
    const { channel } = await owner.call(updateChannel, {
      params: { ...params, channel: critical.id },
      body: { severities: [] },
    });
    assert.deepEqual(channel.severities, []);
    await owner.call(contract.updateRule, { params: mild, body: { enabled: false } });
    const notifications = await untilNotified('mild', 3); // by now both have the resolved notification
    assert.deepEqual(
      notifications.map(({ type }) => type),
      ['rule.fired', 'rule.resolved', 'rule.resolved'],
    );
  });
});

describe('an acknowledgement', () => {
  it('needs an admin, an existing rule, and a short value', async () => {
    const place = await addRule({ name: 'refusals', query: '"never said"' });
    const viewer = await addPerson(service, { roles: { default: 'viewer' } });
    const none = { ...params, rule: 'A'.repeat(20) };
    const refuse = (person: Person, where: typeof place, body: { value?: string }) =>
      person.refuse(contract.acknowledgeAlert, { params: where, body });
    assert.equal(await refuse(viewer, place, {}), '403 role_missing');
    assert.equal(await refuse(owner, none, {}), '404 not_found');
    assert.equal(await refuse(owner, place, { value: 'x'.repeat(5_000) }), '400 invalid_field');
  });
});

describe('a warning', () => {
  const codesOf = ({ warnings }: { warnings: { code: string }[] }) => warnings.map(({ code }) => code);

  it('reports a rule without a channel', async () => {
    const off = await addChannel({ name: 'off' });
    await owner.call(updateChannel, { params: { ...params, channel: off.id }, body: { enabled: false } });
    const strict = await addChannel({ name: 'strict', severities: ['critical'] });
    const rows: [RuleBody, RegExp | null][] = [
      [{ channels: [] }, /notifies no channel/],
      [{ channels: [off.id] }, /switched off/],
      [{ channels: [strict.id] }, /takes alerts of severity warning/],
      [{ channels: [strict.id], severity: 'critical' }, null],
    ];
    for (const [index, [body, expected]] of rows.entries()) {
      const { warnings } = await getRule(await addRule({ name: `silent ${index}`, ...body }));
      assert.deepEqual(codesOf({ warnings }), expected === null ? [] : ['no_channel']);
      if (expected !== null) assert.match(warnings[0]!.message, expected);
    }
  });

  it('reports a rule that would have fired very often', async () => {
    const now = service.clock.now();
    const body = Array.from({ length: 1_100 }, (_, index) => ({
      level: 'info',
      message: 'tick',
      timestamp: now - 60_000 * (index + 1),
    }));
    for (let start = 0; start < body.length; start += 550)
      await logs.call(ingestLogs, { body: body.slice(start, start + 550) as never });
    const ruleBody = { kind: 'count', query: '"tick"', windowSeconds: 10 } as const;
    const often = { ...ruleBody, condition: { op: '>=', value: 1 } } as const;
    const preview = await owner.call(contract.previewRule, { params, body: often });
    assert.deepEqual(codesOf(preview), ['fires_often', 'no_channel']);
    assert.match(preview.warnings[0]!.message, /1,100 times/);
    const rarely = { ...ruleBody, condition: { op: '>=', value: 3 } } as const;
    assert.deepEqual(codesOf(await owner.call(contract.previewRule, { params, body: rarely })), [
      'no_channel',
    ]);
  });

  it('reports a target that is not a webhook of its service, but accepts it', async () => {
    const rows: ['discord' | 'slack' | 'webhook', string, boolean][] = [
      ['discord', 'https://discord.com/api/webhooks/123/abc-DEF_1', false],
      ['discord', 'https://ptb.discord.com/api/v10/webhooks/123/abc?thread_id=7', false],
      ['discord', 'https://discord.com/channels/1/2', true],
      ['discord', 'https://example.com/not-discord', true],
      ['discord', 'https://discord.com.example.org/api/webhooks/123/abc', true],
      ['slack', 'https://hooks.slack.com/services/T0/B0/xyz', false],
      ['slack', 'https://slack.com/services/T0/B0/xyz', true],
      ['webhook', 'https://example.com/not-discord', false],
    ];
    for (const [index, [kind, target, isForeign]] of rows.entries()) {
      const channel = await addChannel({ name: `target ${index}`, kind, target });
      assert.deepEqual(codesOf(channel), isForeign ? ['foreign_target'] : [], target);
    }
  });
});
