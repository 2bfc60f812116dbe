/** Users and members: created, changed, removed. One owner always remains. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { changePassword, getMe, signIn } from '@tapedeck/contract/accounts';
import * as users from '@tapedeck/contract/users';
import { makeClient } from '../support/client.ts';
import { addPerson, addProject, password } from '../support/people.ts';
import { startQuietService } from '../support/service.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const project = await addProject(owner, 'game');

test('a new user has a role, can sign in, and sees neither hash nor password', async () => {
  const body = { email: 'New@Example.org', password, name: 'Newcomer', project, role: 'member' } as const;
  const made = await owner.call(users.createUser, { body });
  assert.deepEqual(
    [made.user.email, made.user.name, made.user.isOwner],
    ['new@example.org', 'Newcomer', false],
  );
  assert.deepEqual(made.projects, [{ project, name: 'game', role: 'member' }]);
  await makeClient(service).call(signIn, { body: { email: body.email, password } });
  const shown = await (await owner.send(users.getUser, { params: { user: made.user.id } })).text();
  assert.doesNotMatch(shown, /scrypt|hash|password/i);
});

const refusals: [string, object, string][] = [
  ['no address', { password }, '400 invalid_field'],
  ['an address without @', { email: 'x', password }, '400 invalid_field'],
  ['no password', { email: 'x@example.org' }, '400 invalid_field'],
  ['a short password', { email: 'x@example.org', password: 'short' }, '400 invalid_field'],
  ['a project without a role', { email: 'x@example.org', password, project }, '400 invalid_field'],
  ['a role without a project', { email: 'x@example.org', password, role: 'viewer' }, '400 invalid_field'],
  ['an unknown role', { email: 'x@example.org', password, project, role: 'root' }, '400 invalid_field'],
  [
    'an unknown project',
    { email: 'x@example.org', password, project: 'no', role: 'viewer' },
    '404 not_found',
  ],
  ['ownership as text', { email: 'x@example.org', password, isOwner: 'true' }, '400 invalid_field'],
  [
    'the address of another user, in other letter case',
    { email: owner.email.toUpperCase(), password },
    '409 name_taken',
  ],
];
for (const [name, body, expected] of refusals) {
  test(`rejects a user with ${name}`, async () => {
    // Wrong on purpose.
    const wrong = body as { email: string; password: string };
    assert.equal(await owner.refuse(users.createUser, { body: wrong }), expected);
  });
}

test('settings change one by one; a new password ends the sessions', async () => {
  const person = await addPerson(service, { email: 'old@example.org' });
  const params = { user: person.id };
  const change = (body: { email?: string; name?: string; password?: string }) =>
    owner.call(users.updateUser, { params, body });
  assert.equal((await change({ name: 'Renamed' })).user.name, 'Renamed');
  assert.equal((await change({ email: 'Moved@Example.org' })).user.email, 'moved@example.org');
  assert.equal((await person.call(getMe)).user?.name, 'Renamed');
  assert.equal(
    await owner.refuse(users.updateUser, { params, body: { email: owner.email } }),
    '409 name_taken',
  );
  await change({ password: 'another password' });
  assert.equal(await person.refuse(getMe), '401 session_missing');
  const again = { email: 'moved@example.org', password: 'another password' };
  await makeClient(service).call(signIn, { body: again });
});

test('the last owner cannot be deleted or demoted, even by concurrent requests', async () => {
  await using own = await startQuietService();
  const owners = await Promise.all([1, 2, 3].map(() => addPerson(own, { isOwner: true })));
  const removals = owners.map((each, index) => {
    const params = { user: owners[(index + 1) % owners.length]!.id };
    return index % 2
      ? each.send(users.deleteUser, { params })
      : each.send(users.updateUser, { params, body: { isOwner: false } });
  });
  await Promise.all(removals);
  const store = await own.openStore();
  assert.equal(await store.read.users.countOwners(), 1);
  const last = (await store.read.users.list()).find(({ isOwner }) => isOwner)!;
  const lastOwner = owners.find(({ id }) => id === last.id)!;
  const params = { user: last.id };
  assert.equal(await lastOwner.refuse(users.deleteUser, { params }), '409 last_owner');
  assert.equal(
    await lastOwner.refuse(users.updateUser, { params, body: { isOwner: false } }),
    '409 last_owner',
  );
});

test('a user who is demoted while changing their password stays demoted', async () => {
  const person = await addPerson(service, { isOwner: true });
  const body = { currentPassword: password, newPassword: 'another password' };
  const changing = person.send(changePassword, { body });
  await owner.call(users.updateUser, { params: { user: person.id }, body: { isOwner: false } });
  assert.equal((await changing).status, 200);
  const { user } = await owner.call(users.getUser, { params: { user: person.id } });
  assert.equal(user.isOwner, false);
});

test('members are added by address, get another role, and are removed', async () => {
  const person = await addPerson(service);
  const params = { project, user: person.id };
  const member = { id: person.id, email: person.email, name: person.email };
  const added = await owner.call(users.addMember, {
    params: { project },
    body: { email: person.email.toUpperCase(), role: 'viewer' },
  });
  assert.deepEqual(added.member, { ...member, role: 'viewer' });
  const set = await owner.call(users.setMemberRole, { params, body: { role: 'admin' } });
  assert.deepEqual(set.member, { ...member, role: 'admin' });
  const { members } = await owner.call(users.listMembers, { params: { project } });
  assert.deepEqual(
    members.find(({ id }) => id === person.id),
    { ...member, role: 'admin' },
  );
  await owner.call(users.removeMember, { params });
  assert.equal(await owner.refuse(users.removeMember, { params }), '404 not_found');
  assert.equal(
    await owner.refuse(users.setMemberRole, { params, body: { role: 'viewer' } }),
    '404 not_found',
  );
});

test('a member must be a user', async () => {
  const input = { params: { project }, body: { email: 'nobody@example.org', role: 'viewer' } } as const;
  assert.equal(await owner.refuse(users.addMember, input), '404 not_found');
});

test('an unknown user cannot be read, changed or deleted', async () => {
  for (const user of ['A'.repeat(20), 'no', '%00', '..', owner.email]) {
    const params = { user };
    assert.equal(await owner.refuse(users.getUser, { params }), '404 not_found', user);
    assert.equal(await owner.refuse(users.updateUser, { params, body: {} }), '404 not_found', user);
    assert.equal(await owner.refuse(users.deleteUser, { params }), '404 not_found', user);
  }
});

test('lists users by address, without their secrets', async () => {
  const response = await owner.send(users.listUsers);
  assert.doesNotMatch(await response.clone().text(), /scrypt|hash|password/i);
  const { users: listed } = await owner.call(users.listUsers);
  const emails = listed.map(({ email }) => email);
  assert.deepEqual(emails, emails.toSorted());
});
