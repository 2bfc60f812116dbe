/** Rules that do not count entries: servers that go quiet, and quotas that fill up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChannel } from '@tapedeck/contract/channels';
import { updateProject } from '@tapedeck/contract/projects';
import type { BodyOf } from '@tapedeck/contract/route';
import { createRule } from '@tapedeck/contract/rules';
import { invalidateSession, reportSession } from '@tapedeck/contract/sdk';
import { startReceiver } from '../support/receiver.ts';
import { makeServer, openReportingClient } from '../support/reporters.ts';
import { startTestService } from '../support/service.ts';

const params = { project: 'default' };

test('alerts when a server expires, not when it ends; resolves a quota with free space', async () => {
  await using receiver = await startReceiver();
  const environment = { TAPEDECK_OUTGOING_PRIVATE: 'true', TAPEDECK_SDK_SESSION_SECONDS: '3' };
  await using service = await startTestService({ environment });
  const { owner, addReporter } = await openReportingClient(service);
  const target = { name: 'Receiver', kind: 'webhook', target: receiver.url } as const;
  const { channel } = await owner.call(createChannel, { params, body: target });
  const add = (body: Omit<BodyOf<typeof createRule>, 'channels'>) =>
    owner.call(createRule, { params, body: { ...body, channels: [channel.id] } });
  const describeLast = async (count: number) => {
    const { body } = (await receiver.wait(count)).at(-1)!;
    const { type, data } = JSON.parse(body) as { type: string; data: { value: string; count: number } };
    return `${type} ${data.value} ${data.count}`;
  };

  await add({ name: 'quiet', kind: 'session_quiet' });
  const reporter = await addReporter({ kind: 'logs' });
  const ended = makeServer();
  await reporter.call(reportSession, { query: ended });
  await reporter.call(invalidateSession, { query: ended });
  const query = makeServer();
  await reporter.call(reportSession, { query });
  const name = `${query.resourceName} (${query.endpoint})`;
  assert.equal(await describeLast(1), `rule.fired ${name} 1`);
  await reporter.call(reportSession, { query });
  assert.equal(await describeLast(2), `rule.resolved ${name} 0`);
  assert.equal(await describeLast(3), `rule.fired ${name} 1`);

  await add({ name: 'full', kind: 'storage', condition: { value: 80 } });
  await owner.call(updateProject, { params, body: { filesMax: 0 } });
  assert.equal(await describeLast(4), 'rule.fired files 100');
  await owner.call(updateProject, { params, body: { filesMax: 10 } });
  assert.equal(await describeLast(5), 'rule.resolved files 0');
});
