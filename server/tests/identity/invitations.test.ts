/** Invitations: what they grant, to whom, how often, and for how long. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { getMe, listMySessions, signIn } from '@tapedeck/contract/accounts';
import { listAudit, listProjectAudit } from '@tapedeck/contract/audit';
import * as contract from '@tapedeck/contract/invitations';
import * as users from '@tapedeck/contract/users';
import type { Role } from '@tapedeck/domain/vocabulary';
import { type Client, makeClient, withCookie } from '../support/client.ts';
import { addPerson, addProject, password } from '../support/people.ts';
import { startQuietService } from '../support/service.ts';

const service = await startQuietService({ environment: { TAPEDECK_PUBLIC_URL: 'https://tape.example' } });
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const project = await addProject(owner, 'game');
await addProject(owner, 'other');
const params = { project };
const visitor = makeClient(service);
const hourMs = 3_600_000;
let count = 0;
const newEmail = () => `guest${++count}@example.org`;

async function invite(maker: Client = owner, role: Role = 'member', wishes = {}): Promise<string> {
  return (await maker.call(contract.createInvitation, { params, body: { role, ...wishes } })).secret;
}

const join = (secret: string, email = newEmail()) => ({ body: { secret, email, password } });

/** Returns why the invitation cannot be used, or `open`. */
async function tryInvitation(secret: string): Promise<string> {
  const response = await visitor.send(contract.readInvitation, { body: { secret } });
  if (response.status === 200) return 'open';
  const { code } = (await response.json()) as { code: string };
  assert.equal(await visitor.refuse(contract.joinByInvitation, join(secret)), `${response.status} ${code}`);
  return `${response.status} ${code}`;
}

test('a link creates a user with its role, signed in', async () => {
  const made = await owner.call(contract.createInvitation, { params, body: { role: 'member' } });
  assert.equal(made.url, `https://tape.example/invitation#${made.secret}`);
  assert.match(made.secret, /^[0-9A-Za-z]{32}$/);
  const lifeMs = Date.parse(made.invitation.expiresAt) - service.clock.now();
  assert.equal(lifeMs, 7 * 24 * hourMs);
  const { secret } = made;
  assert.deepEqual(await visitor.call(contract.readInvitation, { body: { secret } }), {
    project,
    projectName: 'game',
    role: 'member',
    email: null,
    createdBy: `user ${owner.email}`,
    expiresAt: made.invitation.expiresAt,
  });
  const body = { secret, email: 'Guest@Example.org', name: 'Guest', password };
  const response = await visitor.send(contract.joinByInvitation, { body });
  assert.equal(response.status, 200, await response.clone().text());
  const cookie = /tapedeck_session=(\w+)/.exec(response.headers.get('set-cookie')!)![1]!;
  const guest = withCookie(service, cookie);
  const me = await guest.call(getMe);
  assert.deepEqual([me.user?.email, me.user?.name, me.user?.isOwner], ['guest@example.org', 'Guest', false]);
  assert.deepEqual(me.projects, [{ project, name: 'game', role: 'member' }]);
  const { sessions } = await guest.call(listMySessions);
  assert.deepEqual(
    sessions.map(({ way }) => way),
    ['invitation'],
  );
  await visitor.call(signIn, { body: { email: body.email, password } });
});

test('the secret is stored as a hash, and is in no list, log line or audit entry', async () => {
  const { invitation, secret } = await owner.call(contract.createInvitation, {
    params,
    body: { role: 'viewer' },
  });
  await visitor.call(contract.joinByInvitation, join(secret));
  const shown = [
    await (await owner.send(contract.listInvitations, { params })).text(),
    await (await owner.send(listProjectAudit, { params })).text(),
    JSON.stringify(await (await service.openStore()).read.invitations.find(invitation.id)),
    service.logged.join('\n'),
  ];
  for (const text of shown) assert.ok(!text.includes(secret));
});

test('an invitation works once, even for concurrent requests', async () => {
  const secret = await invite();
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() => visitor.send(contract.joinByInvitation, join(secret))),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409, 409]);
  assert.equal(await tryInvitation(secret), '409 invitation_used');
  const { invitations } = await owner.call(contract.listInvitations, { params });
  const used = invitations.find(({ usedBy }) => usedBy === `guest${count}@example.org`);
  assert.ok(used === undefined || used.state === 'used');
  assert.equal(invitations.filter(({ state }) => state === 'open').length, 0);
});

test('a signed-in user gets the role; one who already has it does not use up the invitation', async () => {
  const person = await addPerson(service, { roles: { game: 'viewer' } });
  const secret = await invite(owner, 'member');
  const accept = { body: { secret } };
  assert.equal(await owner.refuse(contract.acceptInvitation, accept), '409 already_member');
  const admin = await addPerson(service, { roles: { game: 'admin' } });
  assert.equal(await admin.refuse(contract.acceptInvitation, accept), '409 already_member');
  assert.deepEqual(await person.call(contract.acceptInvitation, accept), { project });
  assert.deepEqual((await person.call(getMe)).projects, [{ project, name: 'game', role: 'member' }]);
  assert.equal(await person.refuse(contract.acceptInvitation, accept), '409 invitation_used');
});

test('an invitation for an address works only for that address, in any letter case', async () => {
  const email = newEmail();
  const secret = await invite(owner, 'viewer', { email: email.toUpperCase() });
  assert.equal(await visitor.refuse(contract.joinByInvitation, join(secret)), '400 invalid_field');
  const person = await addPerson(service);
  assert.equal(await person.refuse(contract.acceptInvitation, { body: { secret } }), '400 invalid_field');
  await visitor.call(contract.joinByInvitation, join(secret, email.toUpperCase()));
});

test('a truncated or invented link is rejected', async () => {
  const person = await addPerson(service);
  const secret = (await invite()).slice(1);
  assert.equal(await tryInvitation(secret), '404 not_found');
  assert.equal(await person.refuse(contract.acceptInvitation, { body: { secret } }), '404 not_found');
});

test('tells someone with an account to sign in, and the invitation stays valid', async () => {
  const person = await addPerson(service);
  const secret = await invite();
  const again = join(secret, person.email);
  assert.equal(await visitor.refuse(contract.joinByInvitation, again), '409 name_taken');
  assert.equal(await tryInvitation(secret), 'open');
});

describe('an invitation expires when it says', () => {
  const rows: [number, string][] = [
    [3_600, 'an hour'],
    [2_592_000, '30 days'],
  ];
  for (const [expiresIn, name] of rows) {
    it(name, async () => {
      const own = await startQuietService();
      const theirs = await addPerson(own, { isOwner: true });
      const body = { role: 'viewer', expiresIn } as const;
      const place = { params: { project: 'default' } };
      const { secret } = await theirs.call(contract.createInvitation, { ...place, body });
      const read = { body: { secret } };
      own.clock.advance(expiresIn * 1000 - 1);
      await makeClient(own).call(contract.readInvitation, read);
      own.clock.advance(1);
      assert.equal(await makeClient(own).refuse(contract.readInvitation, read), '410 invitation_expired');
      const late = { body: { ...read.body, email: 'late@example.org', password } };
      assert.equal(await makeClient(own).refuse(contract.joinByInvitation, late), '410 invitation_expired');
      const person = await addPerson(own);
      assert.equal(await person.refuse(contract.acceptInvitation, read), '410 invitation_expired');
      const { invitations } = await (await addPerson(own, { isOwner: true })).call(
        contract.listInvitations,
        place,
      );
      assert.deepEqual(
        invitations.map(({ state }) => state),
        ['expired'],
      );
      await own[Symbol.asyncDispose]();
    });
  }
  for (const expiresIn of [0, -1, 3_599, 2_592_001, 1.5]) {
    it(`${expiresIn} seconds are rejected`, async () => {
      const input = { params, body: { role: 'viewer', expiresIn } } as const;
      assert.equal(await owner.refuse(contract.createInvitation, input), '400 invalid_field');
    });
  }
});

test('an owner creates users by invitation, who have no role yet', async () => {
  const { invitation, secret } = await owner.call(contract.createUserInvitation, { body: {} });
  assert.deepEqual([invitation.project, invitation.role], [null, null]);
  const { user } = await visitor.call(contract.joinByInvitation, join(secret));
  assert.deepEqual((await owner.call(users.getUser, { params: { user: user.id } })).projects, []);
  const { invitations } = await owner.call(contract.listUserInvitations);
  const listed = invitations.find(({ id }) => id === invitation.id);
  assert.deepEqual([listed?.state, listed?.usedBy], ['used', user.email]);
  const open = await owner.call(contract.createUserInvitation, { body: { email: newEmail() } });
  const person = await addPerson(service);
  assert.equal(
    await person.refuse(contract.acceptInvitation, { body: { secret: open.secret } }),
    '400 invalid_field',
  );
  const which = { params: { invitation: open.invitation.id } };
  await owner.call(contract.revokeUserInvitation, which);
  assert.equal(await owner.refuse(contract.revokeUserInvitation, which), '404 not_found');
});

test('invitations of a project can be listed and withdrawn only there', async () => {
  const { invitation } = await owner.call(contract.createInvitation, { params, body: { role: 'viewer' } });
  const { id } = invitation;
  const elsewhere = { params: { project: 'other', invitation: id } };
  assert.equal(await owner.refuse(contract.revokeInvitation, elsewhere), '404 not_found');
  const bare = { params: { invitation: id } };
  assert.equal(await owner.refuse(contract.revokeUserInvitation, bare), '404 not_found');
  const { invitations } = await owner.call(contract.listInvitations, { params: { project: 'other' } });
  assert.deepEqual(invitations, []);
  await owner.call(contract.revokeInvitation, { params: { project, invitation: id } });
  const listed = (await owner.call(contract.listInvitations, { params })).invitations;
  assert.ok(listed.every(each => each.id !== id));
});

test('an account invitation gives an existing account nothing', async () => {
  const { secret } = await owner.call(contract.createUserInvitation, { body: {} });
  const person = await addPerson(service);
  const accept = { body: { secret } };
  assert.equal(await person.refuse(contract.acceptInvitation, accept), '409 already_member');
  assert.equal(await tryInvitation(secret), 'open');
});

test('the audit log records who was invited, by whom, and who joined', async () => {
  const slug = await addProject(owner, 'audited');
  const place = { params: { project: slug } };
  const { invitation, secret } = await owner.call(contract.createInvitation, {
    ...place,
    body: { role: 'viewer' },
  });
  const email = newEmail();
  await visitor.call(contract.joinByInvitation, join(secret, email));
  const second = await owner.call(contract.createInvitation, { ...place, body: { role: 'viewer' } });
  await owner.call(contract.revokeInvitation, {
    params: { project: slug, invitation: second.invitation.id },
  });
  const { entries } = await owner.call(listProjectAudit, place);
  const recorded = entries.map(({ action, actor, details }) => [action, actor, details]);
  assert.deepEqual(recorded.slice(0, 4), [
    ['invitation.revoke', `user ${owner.email}`, {}],
    ['invitation.create', `user ${owner.email}`, { role: 'viewer' }],
    ['invitation.use', `user ${email}`, { role: 'viewer', invitedBy: `user ${owner.email}` }],
    ['invitation.create', `user ${owner.email}`, { role: 'viewer' }],
  ]);
  assert.equal(entries[2]?.target, invitation.id);
  assert.ok((await owner.call(listAudit)).entries.length > 0);
});

test('guessing is throttled by address; a real invitation is not', async () => {
  await using own = await startQuietService();
  const theirs = await addPerson(own, { isOwner: true });
  const place = { params: { project: 'default' }, body: { role: 'viewer' } } as const;
  const { secret } = await theirs.call(contract.createInvitation, place);
  const guest = makeClient(own);
  for (let reads = 0; reads < 10; reads += 1) await guest.call(contract.readInvitation, { body: { secret } });
  const person = await addPerson(own);
  const wrong = { body: { secret: 'x'.repeat(32) } };
  const codes: string[] = [];
  for (let tries = 0; tries < 6; tries += 1) codes.push(await guest.refuse(contract.readInvitation, wrong));
  assert.deepEqual(codes, [...Array(5).fill('404 not_found'), '429 sign_in_slowed']);
  const guess = { body: { ...wrong.body, email: 'a@example.org', password } };
  assert.equal(await guest.refuse(contract.joinByInvitation, guess), '429 sign_in_slowed');
  assert.equal(await person.refuse(contract.acceptInvitation, wrong), '429 sign_in_slowed');
});

test('a project has at most two hundred open invitations', async () => {
  const slug = await addProject(owner, 'crowded');
  const place = { params: { project: slug }, body: { role: 'viewer' } } as const;
  for (let made = 0; made < 200; made += 1) await owner.call(contract.createInvitation, place);
  assert.equal(await owner.refuse(contract.createInvitation, place), '400 invalid_field');
});
