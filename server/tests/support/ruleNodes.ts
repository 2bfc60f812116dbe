/** Two nodes that share PostgreSQL and two shards: a separate process, which evaluates rules because it started first, and one in this process. */
import assert from 'node:assert/strict';
import { createChannel } from '@tapedeck/contract/channels';
import { createRule } from '@tapedeck/contract/rules';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { startShards } from '../logs/shards.ts';
import { openLogClient } from './logSender.ts';
import { startReceiver } from './receiver.ts';
import { makeDirectory, startTestService } from './service.ts';
import { type ServiceProcess, startProcess } from './tapedeck.ts';

type RuleNodes = AsyncDisposable & {
  first: ServiceProcess;
  urls: { first: string; second: string };
  /** Makes a rule that fires on four matching entries within 15 s. */
  makeRule(name: string): Promise<void>;
  /** Sends two matching entries; resolves when all nodes find them. */
  send(url: string, name: string): Promise<void>;
  /** Resolves to the rule's notification types once `count` with different ids have arrived. */
  untilNotified(name: string, count: number): Promise<string[]>;
};

export async function openRuleNodes(): Promise<RuleNodes> {
  await using opened = new AsyncDisposableStack();
  const postgres = opened.use(await startPostgres());
  const shards = opened.use(await startShards(2));
  const receiver = opened.use(await startReceiver());
  const environment = {
    TAPEDECK_DATABASE_URL: postgres.urlOf('postgres'),
    TAPEDECK_SECRET: 's'.repeat(40),
    TAPEDECK_OUTGOING_PRIVATE: 'true',
    ...shards.environment,
  };
  const directory = opened.use(await makeDirectory());
  const first = opened.use(await startProcess({ ...environment, TAPEDECK_DATA_DIR: directory.path }));
  const second = opened.use(await startTestService({ environment }));
  const { owner, token } = await openLogClient(second);
  const params = { project: 'default' };
  const target = { name: 'Receiver', kind: 'webhook', target: receiver.url } as const;
  const { channel } = await owner.call(createChannel, { params, body: target });
  const running = opened.move();
  /** Lists notifications by id, because a kill may come between a delivery and its record. */
  const listNotifications = (name: string) => {
    const told = new Map(receiver.received.map(({ headers, body }) => [headers['webhook-id'], body]));
    return [...told.values()]
      .map(body => JSON.parse(body) as { type: string; data: { rule: { name: string } } }) // the notifications package writes this shape
      .filter(({ data }) => data.rule.name === name)
      .map(({ type }) => type);
  };
  return {
    first,
    urls: { first: first.url, second: second.url },
    makeRule: async name => {
      const condition = { op: '>=', value: 4 } as const;
      const asked = { kind: 'count', query: `"${name} burns"`, condition, windowSeconds: 15 } as const;
      await owner.call(createRule, { params, body: { name, ...asked, channels: [channel.id] } });
    },
    send: async (url, name) => {
      const response = await fetch(`${url}/api/v3/logs`, {
        method: 'POST',
        headers: { authorization: token, 'content-type': 'application/json' },
        body: JSON.stringify([1, 2].map(number => ({ level: 'error', message: `${name} burns ${number}` }))),
      });
      assert.equal(response.status, 200, await response.text());
      // A frozen node holds the entries in its journal back.
      const found = await fetch(`${url}/api/v3/logs?body=${name}`, { headers: { authorization: token } });
      assert.equal(found.status, 200, await found.text());
    },
    untilNotified: async (name, count) => {
      while (listNotifications(name).length < count) await receiver.wait(receiver.received.length + 1);
      return listNotifications(name);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
