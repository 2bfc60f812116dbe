/** Many rules, many values, and a clock that jumps: bounded, with nothing lost, and nothing notified twice. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Rule } from '@tapedeck/alerting';
import { alertLimits } from '@tapedeck/alerting/kinds';
import { createChannel } from '@tapedeck/contract/channels';
import { ingestLogs } from '@tapedeck/contract/logs';
import type { BodyOf } from '@tapedeck/contract/route';
import * as contract from '@tapedeck/contract/rules';
import { type Client, withToken } from '../support/client.ts';
import { addPerson, addProject, addToken, type Person } from '../support/people.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';

const hourMs = 3_600_000;
const manyValues = 40_000;
const batchMax = 5_000;

let service: TestService;
let owner: Person;
let receiver: Receiver;

before(async () => {
  receiver = await startReceiver();
  service = await startTestService({ environment: { TAPEDECK_OUTGOING_PRIVATE: 'true' } });
  owner = await addPerson(service, { isOwner: true });
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

type Notification = { type: string; data: { project: string; value: string | null; count: number } };
type RuleBody = Omit<BodyOf<typeof contract.createRule>, 'name'>;

/** Makes a project with a channel. */
async function openProject(project: string) {
  await addProject(owner, project);
  const params = { project };
  const target = { name: project, kind: 'webhook', target: receiver.url } as const;
  const { channel } = await owner.call(createChannel, { params, body: target });
  const logs: Client = withToken(service, (await addToken(owner, { kind: 'logs', project })).token);
  const addRule = async (name: string, body: RuleBody) =>
    (await owner.call(contract.createRule, { params, body: { name, channels: [channel.id], ...body } })).rule;
  const list = () =>
    receiver.received
      .map(({ body }) => JSON.parse(body) as Notification) // the notifications package writes this shape
      .filter(({ data }) => data.project === project);
  return {
    params,
    addRule,
    say: (...entries: { message: string; metadata?: Record<string, string> }[]) =>
      logs.call(ingestLogs, { body: entries.map(entry => ({ level: 'info', ...entry })) as never }),
    untilNotified: async (count: number): Promise<Notification[]> => {
      while (list().length < count) await receiver.wait(receiver.received.length + 1);
      return list();
    },
  };
}

/** Bypasses HTTP, which would take a minute. */
async function insertRules(project: string, count: number, isEnabled = true): Promise<void> {
  const store = await service.openStore();
  await store.write(async ({ rules }) => {
    for (let number = 0; number < count; number++)
      await rules.insert(composeRule(project, number, isEnabled));
  });
}

function composeRule(project: string, number: number, enabled: boolean): Rule {
  const ruleBody = { query: `"absent ${number}"`, dataset: null, by: null, windowSeconds: 60 };
  return {
    id: `${project}${number}`.padEnd(20, 'x').slice(0, 20),
    project,
    name: `rule ${number}`,
    enabled,
    ...ruleBody,
    condition: { kind: 'count', op: '>=', value: 1 },
    severity: 'warning',
    channels: [],
    mutedUntil: null,
    generation: 1,
    createdAt: 1,
    createdBy: 'a test',
  };
}

const atLeast = (value: number) =>
  ({ kind: 'count', condition: { op: '>=', value }, windowSeconds: 10 }) as const;

it('a clock that jumps ahead and back delays nothing and repeats nothing', async () => {
  const { addRule, say, untilNotified } = await openProject('jumps');
  await addRule('jumping', { ...atLeast(2), query: 'tick' });
  const tick = () => say({ message: 'tick' }, { message: 'tick' });
  await tick();
  assert.deepEqual(
    (await untilNotified(1)).map(({ type }) => type),
    ['rule.fired'],
  );
  service.clock.advance(5 * hourMs);
  const pair = ['rule.fired', 'rule.resolved'];
  assert.deepEqual(
    (await untilNotified(2)).map(({ type }) => type),
    pair,
  );
  await tick();
  await untilNotified(3);
  service.clock.advance(-5 * hourMs);
  await untilNotified(4);
  await tick();
  assert.deepEqual(
    (await untilNotified(6)).map(({ type }) => type),
    [...pair, ...pair, ...pair],
  );
});

describe('limits', () => {
  it('values of a field: reports the most frequent ones, and that there are more', async () => {
    const { params, addRule, say, untilNotified } = await openProject('values');
    const { id } = await addRule('many', { ...atLeast(3), by: 'id', windowSeconds: 60 });
    const make = (number: number) => ({ message: 'seen', metadata: { id: `value ${number}` } });
    for (let first = 0; first < manyValues; first += batchMax)
      await say(...Array.from({ length: batchMax }, (_, index) => make(first + index)));
    await say(make(7), make(7), make(7));
    const [notification] = await untilNotified(1);
    assert.deepEqual([notification!.type, notification!.data.value], ['rule.fired', 'value 7']);
    const { rule } = await owner.call(contract.getRule, { params: { ...params, rule: id } });
    assert.deepEqual([rule.crowded, rule.trouble, rule.firing.length], [true, null, 1]);
  });

  it('rules of a project, of which the last is evaluated like the first', async () => {
    const { params, addRule, say, untilNotified } = await openProject('thousand');
    await insertRules('thousand', alertLimits.rulesMax - 1);
    await addRule('last', { ...atLeast(1), query: 'present' });
    const sentAt = Date.now();
    await say({ message: 'present at last' });
    const [notification] = await untilNotified(1);
    assert.ok(Date.now() - sentAt < 20_000, `notified after ${Date.now() - sentAt} ms`); // CONTRACT.md, 10
    assert.equal(notification!.type, 'rule.fired');
    const body = { name: 'one too many', ...atLeast(1) };
    const response = await owner.send(contract.createRule, { params, body });
    assert.equal(response.status, 400);
    assert.match(await response.text(), /A project has at most 1000 rules; remove one first\./);
  });

  it('rules of an installation, across its projects', async () => {
    const { params, addRule } = await openProject('elsewhere');
    const store = await service.openStore();
    const enabled = await store.read.rules.countEnabled();
    for (
      let left = alertLimits.rulesEnabledMax - enabled - 1, part = 0;
      left > 0;
      left -= alertLimits.rulesMax, part++
    ) {
      const project = await addProject(owner, `crowd-${part}`);
      await insertRules(project, Math.min(left, alertLimits.rulesMax));
    }
    const last = await addRule('the last', atLeast(1));
    const off = await addRule('switched off', { ...atLeast(1), enabled: false });
    const refusal = /can have at most 3000 active rules, across all projects; turn one off first/;
    const made = await owner.send(contract.createRule, { params, body: { name: 'x', ...atLeast(1) } });
    assert.match(await made.text(), refusal);
    const place = { params: { ...params, rule: off.id } };
    const switched = await owner.send(contract.updateRule, { ...place, body: { enabled: true } });
    assert.equal(switched.status, 400);
    assert.match(await switched.text(), refusal);
    await owner.call(contract.updateRule, {
      params: { ...params, rule: last.id },
      body: { name: 'renamed' },
    });
    await owner.call(contract.deleteRule, { params: { ...params, rule: last.id } });
    await owner.call(contract.updateRule, { ...place, body: { enabled: true } });
  });
});
