/** Manages datasets: lists their content, sets retention, and deletes them after a dry run. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { listProjectAudit } from '@tapedeck/contract/audit';
import * as contract from '@tapedeck/contract/datasets';
import { listDatasets, queryLogs } from '@tapedeck/contract/logs';
import { withToken } from '../support/client.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const project = await addProject(owner, 'game');
const admin = await addPerson(service, { roles: { [project]: 'admin' } });
const viewer = await addPerson(service, { roles: { [project]: 'viewer' } });
const { token } = await addToken(owner, { kind: 'logs', project });
const reader = withToken(service, token);

async function write(dataset: string, entries: number): Promise<void> {
  const items = Array.from({ length: entries }, (_, index) => ({ level: 'info', message: `entry ${index}` }));
  const headers = { authorization: token, 'content-type': 'application/json' };
  const body = JSON.stringify(items);
  const response = await service.fetch(`/api/v3/logs?dataset=${dataset}`, { method: 'POST', headers, body });
  assert.equal(response.status, 200, await response.text());
}

const listed = async () =>
  (await viewer.call(contract.listManagedDatasets, { params: { project } })).datasets;
const named = async (name: string) => (await listed()).find(dataset => dataset.name === name);
const at = (dataset: string) => ({ project, dataset });

test('a project without entries has no datasets', async () => {
  assert.deepEqual(await listed(), []);
});

test('lists datasets by name, like the log routes', async () => {
  await write('players', 3);
  await write('chat', 1);
  const datasets = await listed();
  assert.deepEqual(
    datasets.map(({ name, entries, retentionDays }) => [name, entries, retentionDays]),
    [
      ['chat', 1, null],
      ['players', 3, null],
    ],
  );
  assert.ok(datasets.every(({ bytes, lastEntryAt }) => bytes > 0 && lastEntryAt !== null));
  assert.deepEqual(
    (await reader.call(listDatasets)).data.map(({ name }) => name),
    ['chat', 'players'],
  );
});

describe('retention', () => {
  it('can be set, is seen by the log routes at once, and can be removed', async () => {
    for (const retentionDays of [30, 7, null]) {
      const answer = await admin.call(contract.updateDataset, {
        params: at('chat'),
        body: { retentionDays },
      });
      assert.deepEqual(answer.dataset, { name: 'chat', retentionDays });
      assert.equal((await named('chat'))?.retentionDays, retentionDays);
      const { data } = await reader.call(listDatasets);
      assert.equal(data.find(({ name }) => name === 'chat')?.retentionDays, retentionDays);
    }
  });

  it('can be set before the first entry', async () => {
    await admin.call(contract.updateDataset, { params: at('later'), body: { retentionDays: 3 } });
    const later = { name: 'later', entries: 0, bytes: 0, retentionDays: 3, lastEntryAt: null };
    assert.deepEqual(await named('later'), later);
  });

  it('works for datasets named like object members', async () => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      await admin.call(contract.updateDataset, { params: at(name), body: { retentionDays: 1 } });
      assert.equal((await named(name))?.retentionDays, 1, name);
      await admin.call(contract.deleteDataset, { params: at(name) });
      assert.equal(await named(name), undefined, name);
      await write(name, 1); // this dataset keeps entries forever
      assert.equal((await named(name))?.retentionDays, null, name);
      assert.ok(
        (await reader.call(listDatasets)).data.some(dataset => dataset.name === name),
        name,
      );
      await admin.call(contract.deleteDataset, { params: at(name) });
    }
  });

  const refusals: readonly [string, unknown, string][] = [
    ['no days', {}, '400 invalid_field'],
    ['zero days', { retentionDays: 0 }, '400 invalid_field'],
    ['days as text', { retentionDays: '30' }, '400 invalid_field'],
    ['more than a century', { retentionDays: 36_501 }, '400 invalid_field'],
  ];
  for (const [name, body, expected] of refusals) {
    it(`rejects ${name}`, async () => {
      // Wrong on purpose.
      const wrong = body as { retentionDays: number };
      assert.equal(await admin.refuse(contract.updateDataset, { params: at('chat'), body: wrong }), expected);
    });
  }

  it('returns 404 for an invalid dataset name', async () => {
    const input = { params: at('a b'), body: { retentionDays: 1 } };
    assert.equal(await admin.refuse(contract.updateDataset, input), '404 not_found');
  });
});

describe('deleting', () => {
  it('is previewed, then done, and does not affect other datasets', async () => {
    await write('old', 5);
    await admin.call(contract.updateDataset, { params: at('old'), body: { retentionDays: 9 } });
    const dry = await admin.call(contract.deleteDataset, { params: at('old'), query: { dryRun: true } });
    assert.deepEqual([dry.entries, dry.dryRun], [5, true]);
    assert.ok(dry.bytes > 0);
    assert.equal((await named('old'))?.entries, 5, 'a preview changes nothing');
    const done = await admin.call(contract.deleteDataset, { params: at('old') });
    assert.deepEqual([done.entries, done.dryRun], [5, false]);
    assert.equal(await named('old'), undefined);
    assert.deepEqual((await reader.call(queryLogs, { query: { dataset: 'old' } })).data, []);
    assert.equal((await named('players'))?.entries, 3);
  });

  it('returns 404 for an unknown dataset', async () => {
    for (const query of [{}, { dryRun: true }])
      assert.equal(
        await admin.refuse(contract.deleteDataset, { params: at('never'), query }),
        '404 not_found',
      );
  });

  it('rejects an invalid flag', async () => {
    // Wrong on purpose.
    const query = { dryRun: 'maybe' as unknown as boolean };
    assert.equal(
      await admin.refuse(contract.deleteDataset, { params: at('players'), query }),
      '400 invalid_field',
    );
  });
});

test('the audit log records every change, and no preview', async () => {
  const { entries } = await admin.call(listProjectAudit, { params: { project }, query: { limit: 100 } });
  const recorded = entries.filter(({ target }) => target === 'old');
  assert.deepEqual(
    recorded.map(({ action, details }) => [action, details.entries ?? details.retentionDays]),
    [
      ['dataset.delete', 5],
      ['dataset.set', 9],
    ],
  );
  assert.equal(recorded[0]?.actor, `user ${admin.email}`);
});
