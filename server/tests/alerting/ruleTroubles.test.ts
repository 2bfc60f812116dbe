/**
 * Rules that cannot be evaluated, or never find anything: they report it, notify their channel once, do not hold up others, and recover by
 * themselves. The test waits as long as the service does before it reports trouble.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createChannel } from '@tapedeck/contract/channels';
import { deleteDataset } from '@tapedeck/contract/datasets';
import { ingestLogs } from '@tapedeck/contract/logs';
import type { BodyOf } from '@tapedeck/contract/route';
import * as contract from '@tapedeck/contract/rules';
import { startShards } from '../logs/shards.ts';
import { withToken } from '../support/client.ts';
import { openEngineProxy } from '../support/engineProxy.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startReceiver } from '../support/receiver.ts';
import { startTestService } from '../support/service.ts';

await using opened = new AsyncDisposableStack();
const receiver = opened.use(await startReceiver());
const shard = opened.use(await startShards(1));
const proxy = opened.use(await openEngineProxy(shard.environment.TAPEDECK_CLICKHOUSE_URL!));
const environment = { TAPEDECK_OUTGOING_PRIVATE: 'true', TAPEDECK_CLICKHOUSE_URL: proxy.url };
const service = opened.use(await startTestService({ environment }));
const owner = await addPerson(service, { isOwner: true });
const running = opened.move();
after(() => running.disposeAsync());

const dayMs = 86_400_000;
const patienceMs = 100_000; // for a busy machine
const atLeast = (value: number) =>
  ({ kind: 'count', condition: { op: '>=', value }, windowSeconds: 10 }) as const;

type Notification = { type: string; data: { project: string; trouble?: string; count: number } };
type Entry = { message: string; metadata?: Record<string, string>; timestamp?: number };

/** Makes a rule in a new project and collects its notifications. */
async function openRule(project: string, body: Omit<BodyOf<typeof contract.createRule>, 'name'>) {
  await addProject(owner, project);
  const params = { project };
  const target = { name: project, kind: 'webhook', target: receiver.url } as const;
  const { channel } = await owner.call(createChannel, { params, body: target });
  const ruleBody = { name: project, channels: [channel.id], ...body };
  const { rule } = await owner.call(contract.createRule, { params, body: ruleBody });
  const logs = withToken(service, (await addToken(owner, { kind: 'logs', project })).token);
  const place = { params: { ...params, rule: rule.id } };
  const list = () =>
    receiver.received
      .map(({ body: text }) => JSON.parse(text) as Notification) // the notifications package writes this shape
      .filter(({ data }) => data.project === project);
  const read = async () => (await owner.call(contract.getRule, place)).rule;
  return {
    params,
    place,
    read,
    say: (entries: readonly Entry[], dataset = 'default') =>
      logs.call(ingestLogs, {
        query: { dataset },
        body: entries.map(entry => ({ level: 'info', ...entry })) as never,
      }),
    untilNotified: async (count: number): Promise<string[]> => {
      while (list().length < count) await receiver.wait(receiver.received.length + 1);
      return list().map(({ type }) => type);
    },
    listNotifications: list,
    untilTrouble: async (pattern: RegExp | null) => {
      for (const deadline = performance.now() + patienceMs; ; await wait(100)) {
        const { trouble } = await read();
        if (pattern === null ? trouble === null : pattern.test(trouble ?? '')) return trouble;
        assert.ok(performance.now() < deadline, `trouble: ${trouble}`);
      }
    },
  };
}

describe('a rule', { concurrency: true }, () => {
  const refusals = [
    ['is too slow for the engine', 'lengthy', 159, /takes too long to evaluate this rule/],
    ['is too expensive for the engine', 'greedy', 241, /has too little memory to evaluate this rule/],
    ['is rejected by the engine', 'strange', 43, /refuses to evaluate this rule/],
    ['gets no response', 'silent', null, /takes too long to evaluate this rule/],
  ] as const;
  for (const [name, word, code, sentence] of refusals) {
    it(`that ${name} reports it once, delays no other rule, and recovers with all entries`, async () => {
      proxy.refused.set(`${word}word`, code);
      const troubled = await openRule(word, { ...atLeast(2), query: `${word}word` });
      const well = await openRule(`${word}-well`, { ...atLeast(1), query: 'ordinary' });
      await troubled.say([{ message: `one ${word}word` }]);
      await well.say([{ message: 'something ordinary' }]);
      assert.deepEqual(await well.untilNotified(2), ['rule.fired', 'rule.resolved']);
      await troubled.untilTrouble(sentence);
      assert.deepEqual(await troubled.untilNotified(1), ['rule.troubled']);
      assert.match(troubled.listNotifications()[0]!.data.trouble!, sentence);
      await troubled.say([{ message: `another ${word}word` }]);
      proxy.refused.delete(`${word}word`);
      await troubled.untilTrouble(null);
      await troubled.say([{ message: `a third ${word}word` }, { message: `and ${word}word` }]);
      const notifications = await troubled.untilNotified(3);
      assert.deepEqual(notifications.slice(0, 3), ['rule.troubled', 'rule.fired', 'rule.resolved']);
    });
  }

  it('reports a missing field once, and recovers when entries have it again', async () => {
    const { say, untilTrouble, untilNotified, listNotifications } = await openRule('renamed', {
      ...atLeast(99),
      by: 'map',
    });
    const early = Array.from({ length: 5 }, (_, number) => service.clock.now() - (9 - number) * dayMs);
    await say(early.map(timestamp => ({ message: 'early', metadata: { map: 'harbour' }, timestamp })));
    await say(Array.from({ length: 5 }, () => ({ message: 'late', metadata: { level_name: 'harbour' } })));
    await untilTrouble(/^No entry of the last three days has the field “map”, though earlier ones had\./);
    assert.deepEqual(await untilNotified(1), ['rule.troubled']);
    await say([{ message: 'mended', metadata: { map: 'harbour' } }]);
    await untilTrouble(null);
    assert.equal(listNotifications().length, 1);
  });

  it('about a rare or new field is healthy', async () => {
    const { say, read, untilNotified } = await openRule('rare', { ...atLeast(2), query: 'crash:* never:*' });
    const before = Array.from({ length: 200 }, (_, number) => ({
      message: 'before',
      metadata: number === 0 ? { crash: 'yes' } : { map: 'harbour' },
      timestamp: service.clock.now() - 9 * dayMs,
    }));
    await say(before);
    await say(Array.from({ length: 20 }, () => ({ message: 'now', metadata: { map: 'harbour' } })));
    const both = { message: 'it crashed', metadata: { crash: 'again', never: 'now' } };
    await say([both, both]);
    assert.deepEqual(await untilNotified(2), ['rule.fired', 'rule.resolved']);
    assert.equal((await read()).trouble, null);
  });

  it('is resolved once when its dataset is deleted, and fires again for new entries', async () => {
    const { params, say, untilNotified, read } = await openRule('emptied', {
      ...atLeast(2),
      dataset: 'game',
    });
    await say([{ message: 'one' }, { message: 'two' }], 'game');
    await untilNotified(1);
    await owner.call(deleteDataset, { params: { ...params, dataset: 'game' } });
    assert.deepEqual(await untilNotified(2), ['rule.fired', 'rule.resolved']);
    await say([{ message: 'one' }, { message: 'two' }], 'game');
    const again = ['rule.fired', 'rule.resolved'];
    assert.deepEqual(await untilNotified(4), [...again, ...again]);
    assert.equal((await read()).trouble, null);
  });
});

it('fires once for entries from before, during and after an outage of the engine', async () => {
  const { place, say, untilNotified, untilTrouble, read } = await openRule('outage', {
    ...atLeast(6),
    windowSeconds: 60,
  });
  await say([{ message: 'before 1' }, { message: 'before 2' }]);
  proxy.isShut = true;
  await say([{ message: 'while 1' }, { message: 'while 2' }]);
  for (const deadline = performance.now() + patienceMs; await mayAsk(); await wait(100))
    assert.ok(performance.now() < deadline, 'the outage is detected');
  assert.equal((await read()).trouble, null);
  service.clock.advance(180_000);
  assert.match((await read()).trouble ?? '', /^The rule has not been evaluated for 3 minutes/);
  proxy.isShut = false;
  await say([{ message: 'after 1' }, { message: 'after 2' }]);
  await untilNotified(1);
  const { changes } = await owner.call(contract.listRuleHistory, place);
  assert.deepEqual(
    changes.map(({ kind, count }) => [kind, count]),
    [['fired', 6]],
  );
  await untilTrouble(null);
});

async function mayAsk(): Promise<boolean> {
  return (await service.fetch('/readyz?role=query')).status === 200;
}
