/** Saved views of logs: created for everyone in the project, replaced, removed. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { listProjectAudit } from '@tapedeck/contract/audit';
import * as contract from '@tapedeck/contract/logViews';
import { logViewsMax } from '@tapedeck/domain/logs/logViews';
import { newId } from '@tapedeck/values/random-ids';
import { addPerson, addProject } from '../support/people.ts';
import { startQuietService } from '../support/service.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const member = await addPerson(service, { roles: { default: 'member' } });
const viewer = await addPerson(service, { roles: { default: 'viewer' } });
const params = { project: 'default' };
const listed = async () => (await viewer.call(contract.listLogViews, { params })).views;

test('a member creates a view that everyone sees, by name', async () => {
  const query = 'level=error&metadata.map=harbour&q=%22the+door%22';
  const { view } = await member.call(contract.createLogView, { params, body: { name: 'Doors', query } });
  assert.deepEqual([view.name, view.query, view.createdBy], ['Doors', query, `user ${member.email}`]);
  await member.call(contract.createLogView, { params, body: { name: 'All', query: '' } });
  assert.deepEqual(
    (await listed()).map(({ name }) => name),
    ['All', 'Doors'],
  );
});

test('its query can be replaced, and its name stays', async () => {
  const [all] = await listed();
  const place = { params: { ...params, view: all!.id } };
  const { view } = await member.call(contract.updateLogView, { ...place, body: { query: 'dataset=*' } });
  assert.deepEqual(view, { ...all, query: 'dataset=*' });
  assert.deepEqual((await listed())[0], view);
});

test('it can be renamed, and its query stays; a name that is taken is rejected', async () => {
  const [all] = await listed();
  const place = { params: { ...params, view: all!.id } };
  const rename = (name: string) => ({ ...place, body: { name } });
  assert.equal(await member.refuse(contract.updateLogView, rename('Doors')), '409 name_taken');
  assert.equal(await member.refuse(contract.updateLogView, rename('')), '400 invalid_field');
  assert.equal(await viewer.refuse(contract.updateLogView, rename('Mine')), '403 role_missing');
  const { view } = await member.call(contract.updateLogView, rename('Everything'));
  assert.deepEqual(view, { ...all, name: 'Everything' });
  await member.call(contract.updateLogView, rename('Everything'));
  await member.call(contract.updateLogView, { ...place, body: { name: 'All' } });
  assert.deepEqual(await listed(), [all, (await listed())[1]]);
  const { entries } = await owner.call(listProjectAudit, { params });
  assert.deepEqual(entries[0]!.details, { name: 'Everything', newName: 'All' });
});

test('a removed view is gone, and its name is free again', async () => {
  const [all] = await listed();
  const place = { params: { ...params, view: all!.id } };
  await member.call(contract.deleteLogView, place);
  assert.equal(await member.refuse(contract.deleteLogView, place), '404 not_found');
  assert.equal(
    await member.refuse(contract.updateLogView, { ...place, body: { query: '' } }),
    '404 not_found',
  );
  await member.call(contract.createLogView, { params, body: { name: 'All', query: '' } });
  const { entries } = await owner.call(listProjectAudit, { params });
  assert.deepEqual(
    entries.map(({ action, details }) => `${action} ${details.name}`),
    [
      'log_view.create All',
      'log_view.delete All',
      'log_view.update Everything',
      'log_view.update All',
      'log_view.update All',
      'log_view.create All',
      'log_view.create Doors',
    ],
  );
});

test('views of another project do not exist', async () => {
  const project = await addProject(owner, 'other');
  const [view] = await listed();
  const place = { params: { project, view: view!.id } };
  assert.equal(await owner.refuse(contract.deleteLogView, place), '404 not_found');
  const body = { query: 'level=info' };
  assert.equal(await owner.refuse(contract.updateLogView, { ...place, body }), '404 not_found');
  await owner.call(contract.createLogView, { params: { project }, body: { name: view!.name, query: '' } });
});

describe('rejects a view', () => {
  const rows: readonly [string, { name: string; query: string }, string][] = [
    ['without a name', { name: '', query: '' }, '400 invalid_field'],
    ['with an overlong name', { name: 'x'.repeat(101), query: '' }, '400 invalid_field'],
    ['with an overlong query', { name: 'x', query: 'x'.repeat(4097) }, '400 invalid_field'],
    ['with a name that is taken', { name: 'Doors', query: '' }, '409 name_taken'],
    ['with NUL in its name', { name: 'a\0b', query: '' }, '400 invalid_field'],
  ];
  for (const [name, body, expected] of rows) {
    it(name, async () => {
      assert.equal(await member.refuse(contract.createLogView, { params, body }), expected);
    });
  }

  it('beyond the number that a project may have', async () => {
    const project = await addProject(owner, 'full');
    const store = await service.openStore();
    await store.write(async ({ logViews }) => {
      for (let index = 0; index < logViewsMax; index += 1) {
        const made = { createdAt: 1, createdBy: 'test' };
        await logViews.insert({ id: newId(), project, name: `view ${index}`, query: '', ...made });
      }
    });
    const input = { params: { project }, body: { name: 'one more', query: '' } };
    assert.equal(await owner.refuse(contract.createLogView, input), '400 invalid_field');
  });
});
