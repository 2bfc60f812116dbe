/** The audit log records which fields of a rule or channel changed, and nothing else of the request. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { listProjectAudit } from '@tapedeck/contract/audit';
import { createChannel, updateChannel } from '@tapedeck/contract/channels';
import { createRule, updateRule } from '@tapedeck/contract/rules';
import { addPerson } from '../support/people.ts';
import { startQuietService } from '../support/service.ts';

const params = { project: 'default' };
const target = 'https://example.org/hook/secret-part';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const { channel } = await owner.call(createChannel, {
  params,
  body: { name: 'Pager', kind: 'webhook', target },
});

async function findLastDetails(): Promise<object> {
  const { entries } = await owner.call(listProjectAudit, { params });
  return entries[0]?.details ?? {};
}

test('records a channel without its secret target', async () => {
  const place = { ...params, channel: channel.id };
  const other = `${target}-too`;
  await owner.call(updateChannel, {
    params: place,
    body: { name: 'Pager', enabled: false, severities: ['critical'], target: other },
  });
  assert.deepEqual(await findLastDetails(), {
    name: 'Pager',
    enabled: false,
    severities: ['critical'],
    target: 'another one',
    before: { enabled: true, severities: channel.severities },
  });
});

test('records a rule with the names of its channels', async () => {
  const condition = { op: '>=', value: 3 } as const;
  const ruleBody = { name: 'Errors', kind: 'count', query: 'never', condition } as const;
  const { rule } = await owner.call(createRule, { params, body: { ...ruleBody, channels: [channel.id] } });
  const place = { ...params, rule: rule.id };
  const changed = { op: '>=', value: 77 } as const;
  await owner.call(updateRule, { params: place, body: { ...ruleBody, condition: changed, channels: [] } });
  assert.deepEqual(await findLastDetails(), {
    name: 'Errors',
    condition: { kind: 'count', ...changed },
    channels: [],
    before: { condition: { kind: 'count', ...condition }, channels: ['Pager'] },
  });
});

test('records nothing for a change that changes nothing', async () => {
  const before = await findLastDetails();
  await owner.call(updateChannel, { params: { ...params, channel: channel.id }, body: { name: 'Pager' } });
  assert.deepEqual(await findLastDetails(), before);
});
