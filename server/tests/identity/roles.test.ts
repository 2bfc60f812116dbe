/** Who may do what: every role against every kind of change, and attempts to gain more rights. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { getMe } from '@tapedeck/contract/accounts';
import { listAudit, listProjectAudit } from '@tapedeck/contract/audit';
import * as datasets from '@tapedeck/contract/datasets';
import { createLogView, deleteLogView, listLogViews } from '@tapedeck/contract/logViews';
import { getMachine } from '@tapedeck/contract/machine';
import {
  createProjectPresignedUrl,
  deleteProjectFile,
  getProjectFile,
  linkProjectFile,
  listProjectFiles,
  restoreProjectFile,
  updateProjectFile,
  uploadProjectFile,
} from '@tapedeck/contract/projectFiles';
import * as logs from '@tapedeck/contract/projectLogs';
import * as projects from '@tapedeck/contract/projects';
import type { Route } from '@tapedeck/contract/route';
import { endSession, listSessions, reportSession } from '@tapedeck/contract/sdk';
import { createToken, listTokens, revokeToken } from '@tapedeck/contract/tokens';
import { getStorage, getUsage } from '@tapedeck/contract/usage';
import * as users from '@tapedeck/contract/users';
import type { Role } from '@tapedeck/domain/vocabulary';
import { newId } from '@tapedeck/values/random-ids';
import { type Client, type Input, makeClient, withToken } from '../support/client.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startQuietService } from '../support/service.ts';
import { formOf, makeSound, uploadFile } from '../support/uploading.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const project = await addProject(owner, 'game');
await addProject(owner, 'other');
const params = { project };

const callers: Readonly<Record<string, Client>> = {
  nobody: makeClient(service),
  stranger: await addPerson(service, { roles: { other: 'owner' } }),
  viewer: await addPerson(service, { roles: { game: 'viewer' } }),
  member: await addPerson(service, { roles: { game: 'member' } }),
  admin: await addPerson(service, { roles: { game: 'admin' } }),
  projectOwner: await addPerson(service, { roles: { game: 'owner' } }),
  owner,
  adminToken: withToken(service, (await addToken(owner, { kind: 'admin', project })).token),
  foreignAdminToken: withToken(service, (await addToken(owner, { kind: 'admin', project: 'other' })).token),
  mediaToken: withToken(service, (await addToken(owner, { kind: 'media', project })).token),
};

const inside = ['viewer', 'member', 'admin', 'projectOwner', 'owner', 'adminToken'];
const members = ['member', 'admin', 'projectOwner', 'owner', 'adminToken'];
/** Tokens manage projects; a project's content is for users, and for tokens of its kind by other routes. */
const readers = ['viewer', 'member', 'admin', 'projectOwner', 'owner'];
const writers = ['member', 'admin', 'projectOwner', 'owner'];
const admins = ['admin', 'projectOwner', 'owner', 'adminToken'];

type Row = {
  does: string;
  route: Route;
  /** Called for each caller. */
  input(): Promise<Input<Route>>;
  allowed: readonly string[];
};

function row<R extends Route>(
  does: string,
  allowed: readonly string[],
  ...[route, input]: [R, () => Promise<Input<R>>]
): Row {
  // The table treats all rows alike; each was checked against its route here.
  return { does, route, input, allowed } as unknown as Row;
}

const newPerson = async (role: Role) => (await addPerson(service, { roles: { game: role } })).id;
async function newFile(): Promise<string> {
  const { token } = await addToken(owner, { kind: 'media', project });
  return (await uploadFile(service, makeSound(), {}, { token })).id;
}
async function newSession(): Promise<string> {
  const reporter = withToken(service, (await addToken(owner, { kind: 'logs', project })).token);
  const jobId = newId();
  await reporter.call(reportSession, { query: { sdkType: 'server_b', universeId: '1', jobId } });
  const { sessions } = await owner.call(listSessions, { params });
  return sessions.find(session => session.jobId === jobId)!.id;
}
const newToken = async (kind: 'media' | 'admin') => (await addToken(owner, { kind, project })).id;

const rows: Row[] = [
  row('see the project', inside, projects.getProject, async () => ({ params })),
  row('list tokens', inside, listTokens, async () => ({ params })),
  row('list members', inside, users.listMembers, async () => ({ params })),
  row('make a media token', members, createToken, async () => ({ params, body: { kind: 'media' as const } })),
  row('make a logs token', members, createToken, async () => ({ params, body: { kind: 'logs' as const } })),
  row('revoke a media token', members, revokeToken, async () => ({
    params: { project, token: await newToken('media') },
  })),
  row('make an admin token', admins, createToken, async () => ({ params, body: { kind: 'admin' as const } })),
  row('revoke an admin token', admins, revokeToken, async () => ({
    params: { project, token: await newToken('admin') },
  })),
  row('change the project', admins, projects.updateProject, async () => ({ params, body: { name: 'Game' } })),
  row('read the audit log of the project', admins, listProjectAudit, async () => ({ params })),
  row('list files', readers, listProjectFiles, async () => ({ params })),
  row('see a file', readers, getProjectFile, async () => ({ params: { project, file: await newFile() } })),
  row('upload a file', writers, uploadProjectFile, async () => ({ params, form: formOf(makeSound()) })),
  row('delete a file', writers, deleteProjectFile, async () => ({
    params: { project, file: await newFile() },
  })),
  row('change a file', writers, updateProjectFile, async () => ({
    params: { project, file: await newFile() },
    body: { filename: 'other.wav' },
  })),
  row('link a file', readers, linkProjectFile, async () => ({
    params: { project, file: await newFile() },
    body: {},
  })),
  row('restore a file', writers, restoreProjectFile, async () => {
    const file = await newFile();
    await owner.call(deleteProjectFile, { params: { project, file }, query: { trash: 'true' } });
    return { params: { project, file } };
  }),
  row('hand an upload to others', writers, createProjectPresignedUrl, async () => ({ params })),
  row('search logs', readers, logs.queryProjectLogs, async () => ({ params })),
  row('count logs', readers, logs.getProjectHistogram, async () => ({ params })),
  row('export logs', readers, logs.exportProjectLogs, async () => ({ params })),
  row('list saved views', inside, listLogViews, async () => ({ params })),
  row('save a view', members, createLogView, async () => ({ params, body: { name: newId(), query: '' } })),
  row('remove a view', members, deleteLogView, async () => {
    const { view } = await owner.call(createLogView, { params, body: { name: newId(), query: '' } });
    return { params: { project, view: view.id } };
  }),
  row('see the usage', inside, getUsage, async () => ({ params })),
  row('see what is stored', inside, getStorage, async () => ({ params })),
  row('list datasets', inside, datasets.listManagedDatasets, async () => ({ params })),
  row('set the retention of a dataset', admins, datasets.updateDataset, async () => ({
    params: { project, dataset: 'chat' },
    body: { retentionDays: 30 },
  })),
  row('list reporting sessions', inside, listSessions, async () => ({ params })),
  row('end a reporting session', members, endSession, async () => ({
    params: { project, session: await newSession() },
  })),
  row('delete a dataset', admins, datasets.deleteDataset, async () => {
    const chat = { project, dataset: 'chat' };
    await owner.call(datasets.updateDataset, { params: chat, body: { retentionDays: 30 } });
    return { params: chat };
  }),
  row('add a member', admins, users.addMember, async () => ({
    params,
    body: { email: (await addPerson(service)).email, role: 'member' as const },
  })),
  row('make a member admin', admins, users.setMemberRole, async () => ({
    params: { project, user: await newPerson('member') },
    body: { role: 'admin' as const },
  })),
  row('remove an admin', admins, users.removeMember, async () => ({
    params: { project, user: await newPerson('admin') },
  })),
  row('make a member owner of the project', ['projectOwner', 'owner'], users.setMemberRole, async () => ({
    params: { project, user: await newPerson('member') },
    body: { role: 'owner' as const },
  })),
  row('add an owner of the project', ['projectOwner', 'owner'], users.addMember, async () => ({
    params,
    body: { email: (await addPerson(service)).email, role: 'owner' as const },
  })),
  row('lower an owner of the project', ['projectOwner', 'owner'], users.setMemberRole, async () => ({
    params: { project, user: await newPerson('owner') },
    body: { role: 'viewer' as const },
  })),
  row('remove an owner of the project', ['projectOwner', 'owner'], users.removeMember, async () => ({
    params: { project, user: await newPerson('owner') },
  })),
  row('list all users', ['owner'], users.listUsers, async () => ({})),
  row('see a user', ['owner'], users.getUser, async () => ({ params: { user: owner.id } })),
  row('change a user', ['owner'], users.updateUser, async () => ({
    params: { user: await newPerson('viewer') },
    body: { isOwner: true },
  })),
  row('delete a user', ['owner'], users.deleteUser, async () => ({
    params: { user: await newPerson('viewer') },
  })),
  row('make a project', ['owner'], projects.createProject, async () => ({
    body: { name: `Made ${service.clock.now()}` },
  })),
  row('see the machine', ['owner'], getMachine, async () => ({})),
  row('read the audit log of the installation', ['owner'], listAudit, async () => ({})),
];

for (const { does, route, input, allowed } of rows) {
  describe(`to ${does}`, () => {
    for (const [name, caller] of Object.entries(callers)) {
      const expected = expectedFor(name, route, allowed);
      it(`${name}: ${expected}`, async () => {
        const response = await caller.send(route, await input());
        assert.equal(`${response.status}`, expected.split(' ')[0], await response.clone().text());
      });
    }
  });
}

/** A user without a role in the project learns that there is none; one with too low a role, that it is too low. */
function expectedFor(name: string, { access }: Route, allowed: readonly string[]): string {
  if (allowed.includes(name)) return '200 allowed';
  if (name === 'nobody') return '401 who is that?';
  if (name === 'mediaToken') return '403 not this kind';
  const isForeign = name === 'stranger' || name === 'foreignAdminToken';
  if (access.by === 'person') return name === 'stranger' ? '404 no such project' : '403 not for tokens';
  return access.by === 'manager' && isForeign ? '404 no such project' : '403 not this role';
}

test('only an owner can delete the project', async () => {
  for (const [name, caller] of Object.entries(callers)) {
    if (name === 'owner' || name === 'projectOwner') continue;
    const { status } = await caller.send(projects.deleteProject, { params });
    const expected = { nobody: 401, stranger: 404, foreignAdminToken: 404 }[name] ?? 403;
    assert.equal(status, expected, name);
  }
  for (const deleter of ['projectOwner', 'owner']) {
    const slug = await addProject(owner, `deleted-by-${deleter.toLowerCase()}`);
    const person = await addPerson(service, { roles: { [slug]: 'owner' } });
    const caller = deleter === 'owner' ? owner : person;
    await caller.call(projects.deleteProject, { params: { project: slug } });
  }
});

test('an admin token sees only its own project', async () => {
  const me = await callers.adminToken!.call(getMe);
  assert.equal(me.user, null);
  assert.deepEqual(
    me.projects.map(({ project: slug, role }) => [slug, role]),
    [['game', 'admin']],
  );
  const listed = (await callers.adminToken!.call(projects.listProjects)).projects;
  assert.deepEqual(
    listed.map(({ project: slug }) => slug),
    ['game'],
  );
});

test('a user sees the projects in which they have a role', async () => {
  const both = await addPerson(service, { roles: { game: 'viewer', other: 'admin' } });
  const me = await both.call(getMe);
  assert.deepEqual(Object.fromEntries(me.projects.map(({ project: slug, role }) => [slug, role])), {
    game: 'viewer',
    other: 'admin',
  });
  assert.deepEqual((await (await addPerson(service)).call(getMe)).projects, []);
});

test('users cannot raise their own role in any way', async () => {
  const admin = await addPerson(service, { roles: { game: 'admin' } });
  const raise = { params: { project, user: admin.id }, body: { role: 'owner' } } as const;
  assert.equal(await admin.refuse(users.setMemberRole, raise), '403 role_missing');
  const add = { params, body: { email: admin.email, role: 'owner' } } as const;
  assert.equal(await admin.refuse(users.addMember, add), '403 role_missing');
  const own = { params: { user: admin.id }, body: { isOwner: true } };
  assert.equal(await admin.refuse(users.updateUser, own), '403 role_missing');
  assert.equal((await admin.call(getMe)).projects[0]?.role, 'admin');
});

test('a read-only token can read, and cannot create tokens that do more', async () => {
  const narrowed = async (...scopes: string[]) =>
    withToken(service, (await addToken(owner, { kind: 'admin', project, scopes })).token);
  const reader = await narrowed('read');
  await reader.call(projects.getProject, { params });
  const make = (...scopes: string[]) => ({ params, body: { kind: 'admin' as const, scopes } });
  assert.equal(await reader.refuse(createToken, make('read')), '403 scope_missing');
  assert.equal(
    await reader.refuse(revokeToken, { params: { project, token: await newToken('media') } }),
    '403 scope_missing',
  );
  const writer = await narrowed('write', 'read');
  assert.equal(await writer.refuse(createToken, make()), '403 scope_missing');
  assert.equal(await writer.refuse(createToken, make('delete')), '403 scope_missing');
  await writer.call(createToken, make('read'));
});

test('removed roles and deleted users lose access at the next request', async () => {
  const member = await addPerson(service, { roles: { game: 'member' } });
  await member.call(projects.getProject, { params });
  await owner.call(users.removeMember, { params: { project, user: member.id } });
  assert.equal(await member.refuse(projects.getProject, { params }), '404 not_found');
  await owner.call(users.deleteUser, { params: { user: member.id } });
  assert.equal(await member.refuse(getMe), '401 session_missing');
});
