/** Rules on two nodes that share PostgreSQL and two shards: one of them judges, and another goes on when it is gone. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startPostgres } from '../../scripts/engines/postgres.ts';
import { createChannel } from '../src/contract/channels.ts';
import { createRule } from '../src/contract/rules.ts';
import { openLogDoor } from './logDoor.ts';
import { startShards } from './logs/shards.ts';
import { startReceiver } from './receiver.ts';
import { makeDirectory, startTestService } from './service.ts';
import { startProcess } from './tapedeck.ts';

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
const killed = opened.use(await startProcess({ ...environment, TAPEDECK_DATA_DIR: directory.path }));
const node = opened.use(await startTestService({ environment }));
const running = opened.move();
after(() => running.disposeAsync());

test('what fires is told once and resolved once, though the node that judged is killed in between', async () => {
  const { owner, token } = await openLogDoor(node);
  const params = { project: 'default' };
  const target = { name: 'Receiver', kind: 'webhook', target: receiver.url } as const;
  const { channel } = await owner.call(createChannel, { params, body: target });
  const asked = {
    kind: 'count',
    query: 'burns',
    condition: { op: '>=', value: 4 },
    windowSeconds: 15,
  } as const;
  await owner.call(createRule, { params, body: { name: 'shared', ...asked, channels: [channel.id] } });
  for (const url of [killed.url, node.url]) {
    const response = await fetch(`${url}/api/v3/logs`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify([1, 2].map(number => ({ level: 'error', message: `it burns ${number}` }))),
    });
    assert.equal(response.status, 200, await response.text());
  }
  await receiver.wait(1);
  killed.child.kill('SIGKILL');
  // At least once: the kill may come between the other side's answer and its record.
  const told = new Map<unknown, string>();
  for (let count = 1; told.size < 2; count++) {
    for (const { headers, body } of await receiver.wait(count)) told.set(headers['webhook-id'], body);
  }
  assert.deepEqual(
    [...told.values()].map(body => (JSON.parse(body) as { type: string }).type),
    ['rule.fired', 'rule.resolved'],
  );
});
