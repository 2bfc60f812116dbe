/** Deleting a channel, a rule or a project removes what belongs to it; restoring a backup brings it back. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import * as contract from '@tapedeck/contract/channels';
import { listDeliveries } from '@tapedeck/contract/deliveries';
import { deleteProject } from '@tapedeck/contract/projects';
import { createRule, listRules } from '@tapedeck/contract/rules';
import { leaveDeliveries, untilDeliveries } from '../support/outboxRows.ts';
import { addPerson, addProject, type Person } from '../support/people.ts';
import { startReceiver } from '../support/receiver.ts';
import { makeDirectory, openDatabaseFile, startTestService, type TestService } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';

const environment = { TAPEDECK_OUTGOING_PRIVATE: 'true' };

async function addChannelAndRule(owner: Person, target: string, project: string) {
  const params = { project };
  const made = { name: 'Ops', kind: 'webhook' as const, target, events: ['file.created' as const] };
  const { channel } = await owner.call(contract.createChannel, { params, body: made });
  const condition = { op: '>=' as const, value: 3 };
  const body = { name: 'Errors', kind: 'count' as const, condition, channels: [channel.id] };
  await owner.call(createRule, { params, body });
  return channel;
}

function countRows(service: TestService, project: string): Record<string, number> {
  using database = openDatabaseFile(service);
  const tables = ['channels', 'rules', 'rule_changes', 'deliveries'];
  const count = (table: string) =>
    database.prepare(`select count(*) as count from ${table} where project = ?`).get(project)!.count;
  return Object.fromEntries(tables.map(table => [table, Number(count(table))]));
}

test('a deleted project leaves no channels, rules or pending notifications', async () => {
  await using receiver = await startReceiver();
  receiver.always({ status: 503 });
  await using service = await startTestService({ environment });
  const owner = await addPerson(service, { isOwner: true });
  const project = await addProject(owner, 'arena');
  const { id } = await addChannelAndRule(owner, receiver.url, project);
  const kept = await addChannelAndRule(owner, receiver.url, 'default');
  const left = Array.from({ length: 2_500 }, () => ({ channel: id, project, type: 'file.created' as const }));
  await leaveDeliveries(service, ...left, { channel: kept.id, rule: 'kept' });
  assert.deepEqual(countRows(service, project), {
    channels: 1,
    rules: 1,
    rule_changes: 0,
    deliveries: 2_500,
  });
  await owner.call(deleteProject, { params: { project } });
  assert.deepEqual(countRows(service, project), { channels: 0, rules: 0, rule_changes: 0, deliveries: 0 });
  assert.deepEqual(countRows(service, 'default'), { channels: 1, rules: 1, rule_changes: 0, deliveries: 1 });
});

test('a backup contains rules, channels with their secrets, and deliveries', async () => {
  await using directory = await makeDirectory();
  await using receiver = await startReceiver();
  const place = (name: string) => path.join(directory.path, name);
  const params = { project: 'default' };
  let channel: Awaited<ReturnType<typeof addChannelAndRule>>;
  let deliveryId: string | undefined;
  {
    await using service = await startTestService({ environment, dataDir: place('before') });
    const owner = await addPerson(service, { isOwner: true });
    channel = await addChannelAndRule(owner, receiver.url, 'default');
    [deliveryId] = await leaveDeliveries(service, { channel: channel.id, rule: 'one' });
    await untilDeliveries(owner, channel.id, all => all.get(deliveryId!)!.state === 'delivered');
  }
  await tapedeck(['backup', place('backup')], { TAPEDECK_DATA_DIR: place('before') });
  await tapedeck(['restore', place('backup')], { TAPEDECK_DATA_DIR: place('after') });
  await using service = await startTestService({ environment, dataDir: place('after') });
  const owner = await addPerson(service, { isOwner: true, email: 'another@example.org' });
  const { channels } = await owner.call(contract.listChannels, { params });
  assert.deepEqual(channels, [channel]);
  const { rules } = await owner.call(listRules, { params });
  assert.deepEqual(
    rules.map(({ name, channels: named }) => [name, named]),
    [['Errors', [channel.id]]],
  );
  const { deliveries } = await owner.call(listDeliveries, { params });
  assert.deepEqual(
    deliveries.map(({ id, state, attempts }) => [id, state, attempts[0]?.status]),
    [[deliveryId, 'delivered', 200]],
  );
  await owner.call(contract.testChannel, { params: { ...params, channel: channel.id } });
  const [before, after] = receiver.received.map(({ headers }) => String(headers['webhook-signature']));
  assert.match(`${before} ${after}`, /^v1,\S+ v1,\S+$/, 'the target and the secret were restored');
});
