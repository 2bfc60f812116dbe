/** Entries of three resources about doors, for tests of patterns and alerts. */
import assert from 'node:assert/strict';
import { createChannel } from '@tapedeck/contract/channels';
import { createRule } from '@tapedeck/contract/rules';
import { addToken, type Person } from '../../server/tests/support/people.ts';

const params = { project: 'default' };
const resources = ['doors', 'gates', 'hatches'];

export async function sendDoorEntries(owner: Person): Promise<void> {
  const { token } = await addToken(owner, { kind: 'logs' });
  const items = Array.from({ length: 9 }, (_, index) => ({
    level: 'warn',
    message: `Door ${index} opened`,
    resource: resources[index % resources.length],
  }));
  const headers = { authorization: token, 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(items) };
  assert.equal((await owner.service.fetch('/api/v3/logs?dataset=game', request)).status, 200);
}

export async function makeDoorChannel(owner: Person): Promise<void> {
  const target = 'https://discord.com/api/webhooks/1/x';
  await owner.call(createChannel, { params, body: { name: '#doors', kind: 'discord', target } });
}

/** Makes a rule that occupies a name, and returns its id. */
export async function makeTakenRule(owner: Person): Promise<string> {
  const condition = { op: '<', value: 1 } as const;
  const body = { name: 'Taken', kind: 'count', condition, windowSeconds: 86_400 } as const;
  return (await owner.call(createRule, { params, body })).rule.id;
}
