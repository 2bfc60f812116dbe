/** The audit log: a line for every change with actor and subject, and no credentials. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { changePassword, signIn } from '@tapedeck/contract/accounts';
import { listAudit, listProjectAudit } from '@tapedeck/contract/audit';
import { createChannel, updateChannel } from '@tapedeck/contract/channels';
import { updateDataset } from '@tapedeck/contract/datasets';
import { createLogView, updateLogView } from '@tapedeck/contract/logViews';
import * as projects from '@tapedeck/contract/projects';
import { createRule, updateRule } from '@tapedeck/contract/rules';
import { createToken, revokeToken } from '@tapedeck/contract/tokens';
import * as users from '@tapedeck/contract/users';
import { newId } from '@tapedeck/values/random-ids';
import { makeClient, withToken } from '../support/client.ts';
import { addPerson, addProject, addToken, password } from '../support/people.ts';
import { startQuietService } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const project = await addProject(owner, 'game');
const other = await addProject(owner, 'other');
const params = { project };

const newest = async () => (await owner.call(listAudit, { query: { limit: 1 } })).entries[0]!;

test('a line has only the changed fields of a form, with their previous values', async () => {
  const body = { name: 'Shop', cdnDomain: null, cdnEnabled: false, bytesMax: 1000, filesMax: null };
  const slug = await addProject(owner, 'shop');
  await owner.call(projects.updateProject, { params: { project: slug }, body });
  const { details } = await newest();
  assert.deepEqual(details, { name: 'Shop', bytesMax: 1000, before: { name: slug, bytesMax: null } });
  const person = await addPerson(service, { name: 'Ada' });
  const sent = { name: 'Ada', email: person.email, isOwner: true };
  await owner.call(users.updateUser, { params: { user: person.id }, body: sent });
  assert.deepEqual((await newest()).details, { isOwner: true, before: { isOwner: false } });
});

test('every change leaves a line with who changed what', async () => {
  const by = `user ${owner.email}`;
  const rows: [string, string | null, () => Promise<unknown>][] = [
    ['project.create', 'made', () => addProject(owner, 'made')],
    ['project.update', project, () => owner.call(projects.updateProject, { params, body: { name: 'Game' } })],
    ['project.delete', 'made', () => owner.call(projects.deleteProject, { params: { project: 'made' } })],
    ['token.create', project, () => addToken(owner, { project, name: 'deploy' })],
    [
      'token.revoke',
      project,
      async () => {
        const { id } = await addToken(owner, { project });
        await owner.call(revokeToken, { params: { project, token: id } });
      },
    ],
    [
      'user.create',
      null,
      () => owner.call(users.createUser, { body: { email: 'new@example.org', password } }),
    ],
    [
      'user.update',
      null,
      async () => {
        const { id } = await addPerson(service);
        await owner.call(users.updateUser, { params: { user: id }, body: { password: 'another password' } });
      },
    ],
    [
      'user.delete',
      null,
      async () => owner.call(users.deleteUser, { params: { user: (await addPerson(service)).id } }),
    ],
    [
      'member.set',
      project,
      async () =>
        owner.call(users.addMember, {
          params,
          body: { email: (await addPerson(service)).email, role: 'viewer' },
        }),
    ],
    [
      'member.remove',
      project,
      async () => {
        const { id } = await addPerson(service, { roles: { game: 'viewer' } });
        await owner.call(users.removeMember, { params: { project, user: id } });
      },
    ],
  ];
  for (const [action, where, change] of rows) {
    await change();
    const entry = await newest();
    assert.deepEqual([entry.action, entry.project, entry.actor], [action, where, by]);
    assert.ok(Math.abs(Date.parse(entry.at) - service.clock.now()) < 60_000);
  }
});

test('a change that changes nothing leaves no line', async () => {
  const rule = { name: 'Errors', kind: 'count', query: 'a', condition: { op: '>=', value: 1 } } as const;
  const { id: ruleId } = (await owner.call(createRule, { params, body: rule })).rule;
  const channel = { name: 'Pager', kind: 'webhook', target: 'https://example.org/hook' } as const;
  const { id: channelId } = (await owner.call(createChannel, { params, body: channel })).channel;
  const view = { name: 'Doors', query: 'query=door' };
  const { id: viewId } = (await owner.call(createLogView, { params, body: view })).view;
  const person = await addPerson(service, { name: 'Bo', roles: { game: 'viewer' } });
  const unchanged = { name: 'Bo', email: person.email, isOwner: false, emailVerified: true };
  const days = { retentionDays: 7 };
  await owner.call(updateDataset, { params: { project, dataset: 'chat' }, body: days });
  const rows: [string, () => Promise<unknown>][] = [
    ['a user', () => owner.call(users.updateUser, { params: { user: person.id }, body: unchanged })],
    [
      'a role',
      () =>
        owner.call(users.setMemberRole, { params: { project, user: person.id }, body: { role: 'viewer' } }),
    ],
    ['a project', () => owner.call(projects.updateProject, { params, body: { cdnEnabled: false } })],
    ['a dataset', () => owner.call(updateDataset, { params: { project, dataset: 'chat' }, body: days })],
    ['a view', () => owner.call(updateLogView, { params: { project, view: viewId }, body: view })],
    [
      'a rule',
      () => owner.call(updateRule, { params: { project, rule: ruleId }, body: { ...rule, enabled: true } }),
    ],
    [
      'a channel',
      () =>
        owner.call(updateChannel, {
          params: { project, channel: channelId },
          body: { target: channel.target, enabled: true },
        }),
    ],
  ];
  const { id } = await newest();
  for (const [what, change] of rows) {
    await change();
    assert.equal((await newest()).id, id, what);
  }
});

test('a new role leaves a line with the former one', async () => {
  const person = await addPerson(service, { roles: { game: 'viewer' } });
  await owner.call(users.setMemberRole, { params: { project, user: person.id }, body: { role: 'member' } });
  assert.deepEqual((await newest()).details, { role: 'member', before: { role: 'viewer' } });
});

test('signing in and a new password leave lines of the user', async () => {
  const { email, ...person } = await addPerson(service);
  await makeClient(service).call(signIn, { body: { email, password } });
  assert.deepEqual(
    [(await newest()).action, (await newest()).details],
    ['user.sign_in', { address: '127.0.0.1', way: 'password' }],
  );
  await person.call(changePassword, { body: { currentPassword: password, newPassword: 'another password' } });
  assert.deepEqual(
    [(await newest()).action, (await newest()).actor],
    ['user.change_password', `user ${email}`],
  );
});

test('tokens and the command line are named as actors', async () => {
  const { token } = await addToken(owner, { kind: 'admin', project, name: 'robot' });
  await withToken(service, token).call(createToken, { params, body: { kind: 'logs' } });
  assert.equal((await newest()).actor, `token ${token.slice(0, 4)}… (robot)`);
  await tapedeck(['token', 'create', '--kind', 'media'], { TAPEDECK_DATA_DIR: service.dataDir });
  assert.equal((await newest()).actor, 'command line');
});

test('a rejected change leaves no line', async () => {
  service.clock.advance(3_600_000); // later than what the command line did in real time
  const before = await newest();
  const { token } = await addToken(owner, { kind: 'admin', project });
  const made = await newest();
  await withToken(service, token).refuse(projects.createProject, { body: { name: 'x' } });
  await owner.refuse(projects.createProject, { body: { name: 'x', slug: 'game' } });
  await owner.refuse(users.createUser, { body: { email: owner.email, password } });
  assert.notEqual(made.id, before.id);
  assert.equal((await newest()).id, made.id);
});

test('the log of a project has only its own lines', async () => {
  await addToken(owner, { project: other });
  const { entries } = await owner.call(listProjectAudit, { params, query: { limit: 100 } });
  assert.ok(entries.length > 3);
  assert.ok(entries.every(entry => entry.project === project));
});

test('the role of a new user is in the log of its project, too', async () => {
  const body = { email: 'rookie@example.org', password, project, role: 'member' } as const;
  const { user } = await owner.call(users.createUser, { body });
  const { entries } = await owner.call(listProjectAudit, { params, query: { limit: 1 } });
  const [line] = entries;
  assert.deepEqual([line?.action, line?.target, line?.details], ['member.set', user.id, { role: 'member' }]);
});

test('pages list every line once, newest first', async () => {
  const place = { project: await addProject(owner, 'paged') };
  for (let count = 0; count < 7; count += 1) await addToken(owner, { project: 'paged', name: `${count}` });
  const seen: string[] = [];
  let before: string | null = null;
  do {
    const query: { limit: number; before?: string } = { limit: 3, ...(before !== null && { before }) };
    const page = await owner.call(listProjectAudit, { params: place, query });
    seen.push(...page.entries.map(({ details }) => String(details.name ?? 'made')));
    before = page.nextBefore;
  } while (before !== null);
  assert.deepEqual(seen, ['6', '5', '4', '3', '2', '1', '0', 'made']);
});

const limitRows: [string, number | string][] = [
  ['1', 1],
  ['100', 100],
  ['101', 100],
  ['99999999999999999999', 100],
  ['', '400 invalid_field'],
  ['0', '400 invalid_field'],
  ['-1', '400 invalid_field'],
  ['1.5', '400 invalid_field'],
  ['1e2', '400 invalid_field'],
  ['0x10', '400 invalid_field'],
  [' 5', '400 invalid_field'],
  ['true', '400 invalid_field'],
  ['ten', '400 invalid_field'],
  ['5&limit=6', '400 invalid_field'],
];
test('rejects a page size below one or not an integer, and caps a large one', async () => {
  const store = await service.openStore();
  await store.write(async records => {
    for (let index = 0; index < 120; index += 1) {
      const id = newId();
      const at = service.clock.now();
      await records.audit.append({
        id,
        at,
        actor: 'service',
        project: null,
        action: 'a',
        target: '',
        details: {},
      });
    }
  });
  for (const [limit, expected] of limitRows) {
    const response = await service.fetch(`/api/manage/audit?limit=${limit.replace(' ', '%20')}`, {
      headers: { cookie: `tapedeck_session=${owner.cookie}` },
    });
    const { entries, code } = (await response.json()) as { entries?: unknown[]; code?: string };
    assert.equal(entries?.length ?? `${response.status} ${code}`, expected, `limit=${limit}`);
  }
});

test('rejects a page after an unknown line, or one of another project', async () => {
  const { entries } = await owner.call(listProjectAudit, { params: { project: other }, query: { limit: 1 } });
  for (const before of ['A'.repeat(20), entries[0]!.id]) {
    assert.equal(await owner.refuse(listProjectAudit, { params, query: { before } }), '400 invalid_field');
  }
});

test('no line contains a token, a password or a hash', async () => {
  const { token } = await addToken(owner, { project });
  const response = await owner.send(listAudit, { query: { limit: 100 } });
  const text = await response.text();
  for (const secret of [token, password, 'another password', 'scrypt$'])
    assert.ok(!text.includes(secret), secret);
});
