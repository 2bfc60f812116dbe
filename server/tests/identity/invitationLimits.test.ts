/** An invitation grants at most what its maker may grant, both when it is made and when it is used. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import * as contract from '@tapedeck/contract/invitations';
import { deleteProject } from '@tapedeck/contract/projects';
import { revokeToken } from '@tapedeck/contract/tokens';
import * as users from '@tapedeck/contract/users';
import type { Role } from '@tapedeck/domain/vocabulary';
import { type Client, makeClient, withToken } from '../support/client.ts';
import { addPerson, addProject, addToken, password } from '../support/people.ts';
import { startQuietService } from '../support/service.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const project = await addProject(owner, 'game');
const params = { project };
const visitor = makeClient(service);
let count = 0;

async function invite(maker: Client, role: Role = 'member'): Promise<string> {
  return (await maker.call(contract.createInvitation, { params, body: { role } })).secret;
}

/** Returns why the invitation cannot be used, or `open`. */
async function tryInvitation(secret: string): Promise<string> {
  const read = { body: { secret } };
  if ((await visitor.send(contract.readInvitation, read)).status === 200) return 'open';
  const person = await addPerson(service);
  const join = { body: { secret, email: 'guest@example.org', password } };
  const reasons = [
    await visitor.refuse(contract.readInvitation, read),
    await visitor.refuse(contract.joinByInvitation, join),
    await person.refuse(contract.acceptInvitation, read),
  ];
  assert.equal(new Set(reasons).size, 1, reasons.join());
  return reasons[0]!;
}

describe('an invitation gives no more than its maker could', () => {
  it('when it is created', async () => {
    const admin = await addPerson(service, { roles: { game: 'admin' } });
    const over = { params, body: { role: 'owner' } } as const;
    assert.equal(await admin.refuse(contract.createInvitation, over), '403 role_missing');
    await admin.call(contract.createInvitation, { params, body: { role: 'admin' } });
    const reader = await addToken(owner, { kind: 'admin', project, scopes: ['read', 'write'] });
    const client = withToken(service, reader.token);
    const given = (role: Role) => ({ params, body: { role } });
    assert.equal(await client.refuse(contract.createInvitation, given('member')), '403 scope_missing');
    await client.call(contract.createInvitation, given('viewer'));
  });

  type Makes = { secret: string; end(): Promise<unknown> };
  const asAdmin = async (role: Role = 'admin') => {
    const maker = await addPerson(service, { roles: { game: role } });
    return { secret: await invite(maker, role), member: { project, user: maker.id } };
  };
  const rows: [string, () => Promise<Makes>][] = [
    [
      'its maker is deleted',
      async () => {
        const { secret, member } = await asAdmin();
        return { secret, end: () => owner.call(users.deleteUser, { params: { user: member.user } }) };
      },
    ],
    [
      'its maker leaves the project',
      async () => {
        const { secret, member } = await asAdmin();
        return { secret, end: () => owner.call(users.removeMember, { params: member }) };
      },
    ],
    [
      'its maker becomes a member',
      async () => {
        const { secret, member } = await asAdmin();
        const body = { role: 'member' } as const;
        return { secret, end: () => owner.call(users.setMemberRole, { params: member, body }) };
      },
    ],
    [
      'its maker, an owner of the project, becomes an admin',
      async () => {
        const { secret, member } = await asAdmin('owner');
        const body = { role: 'admin' } as const;
        return { secret, end: () => owner.call(users.setMemberRole, { params: member, body }) };
      },
    ],
    [
      'its maker is no longer an owner of the installation',
      async () => {
        const maker = await addPerson(service, { isOwner: true });
        const { secret } = await maker.call(contract.createUserInvitation, { body: {} });
        const lower = { params: { user: maker.id }, body: { isOwner: false } };
        return { secret, end: () => owner.call(users.updateUser, lower) };
      },
    ],
    [
      'the token that created it is revoked',
      async () => {
        const { token, id } = await addToken(owner, { kind: 'admin', project });
        const secret = await invite(withToken(service, token));
        return { secret, end: () => owner.call(revokeToken, { params: { project, token: id } }) };
      },
    ],
    [
      'the token that created it expires',
      async () => {
        const expiresAt = new Date(service.clock.now() + 60_000).toISOString();
        const { token } = await addToken(owner, { kind: 'admin', project, expiresAt });
        const secret = await invite(withToken(service, token));
        return { secret, end: async () => service.clock.advance(60_000) };
      },
    ],
    [
      'its project is deleted',
      async () => {
        const slug = await addProject(owner, `gone${++count}`);
        const input = { params: { project: slug }, body: { role: 'viewer' } } as const;
        const { secret } = await owner.call(contract.createInvitation, input);
        return { secret, end: () => owner.call(deleteProject, { params: { project: slug } }) };
      },
    ],
    [
      'it is withdrawn',
      async () => {
        const { invitation, secret } = await owner.call(contract.createInvitation, {
          params,
          body: { role: 'viewer' },
        });
        const which = { params: { project, invitation: invitation.id } };
        return { secret, end: () => owner.call(contract.revokeInvitation, which) };
      },
    ],
  ];
  for (const [title, arrange] of rows) {
    it(`and ends when ${title}`, async () => {
      const { secret, end } = await arrange();
      assert.equal(await tryInvitation(secret), 'open');
      await end();
      assert.equal(await tryInvitation(secret), '410 invitation_ended');
    });
  }
});
