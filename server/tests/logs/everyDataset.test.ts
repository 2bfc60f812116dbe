/** `dataset=*` and `dataset=NAME` mean the same in rules, and for the children of an entry, as elsewhere. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { listLogChildren } from '@tapedeck/contract/logs';
import * as contract from '@tapedeck/contract/rules';
import { readAs } from '../support/jsonAnswers.ts';
import { openLogClient } from '../support/logSender.ts';
import { addPerson, addProject } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

test('a rule of the dataset * covers all datasets', async () => {
  const owner = await addPerson(service, { isOwner: true });
  const params = { project: await addProject(owner, 'game') };
  const ruleBody = {
    name: 'everywhere',
    kind: 'count',
    dataset: '*',
    condition: { op: '>=', value: 1 },
  } as const;
  const { rule } = await owner.call(contract.createRule, { params, body: ruleBody });
  assert.equal(rule.dataset, null);
  const place = { ...params, rule: rule.id };
  await owner.call(contract.updateRule, { params: place, body: { dataset: 'chat' } });
  const changed = await owner.call(contract.updateRule, { params: place, body: { dataset: '*' } });
  assert.equal(changed.rule.dataset, null);
  const refused = await owner.send(contract.createRule, {
    params,
    body: { ...ruleBody, name: 'x', dataset: '**' },
  });
  assert.equal(refused.status, 400);
});

test('children are those of the requested dataset', async () => {
  const client = await openLogClient(service);
  for (const dataset of ['family', 'kin'])
    await client.store([{ level: 'info', message: dataset, parentId: 'parent' }], dataset);
  const list = async (query: string) =>
    (await readAs(listLogChildren.answer, await client.get(`/parent/children${query}`))).data
      .map(({ body }) => body)
      .sort();
  assert.deepEqual(await list('?dataset=kin'), ['kin']);
  assert.deepEqual(await list('?dataset=family'), ['family']);
  assert.deepEqual(await list('?dataset=absent'), []);
  assert.deepEqual(await list('?dataset=*'), ['family', 'kin']);
  assert.deepEqual(await list(''), ['family', 'kin']);
});
