/** Tokens whose makers leave: they end with the maker's right to make them, along with what they made, unless the caller keeps them. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { listProjectAudit } from '@tapedeck/contract/audit';
import { reportSession } from '@tapedeck/contract/sdk';
import { describeToken } from '@tapedeck/contract/tokens';
import * as users from '@tapedeck/contract/users';
import { withToken } from '../support/client.ts';
import { addPerson, addProject, addToken, type Person } from '../support/people.ts';
import { makeServer } from '../support/reporters.ts';
import { changeDatabase, startQuietService } from '../support/service.ts';
import { formOf, makePicture, pathOf, sendForm } from '../support/uploading.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
await addProject(owner, 'other');
const params = (person: Person) => ({ project: 'default', user: person.id });

/** Returns `200`, or `401 token_revoked`. */
async function tryToken(token: string): Promise<string> {
  const response = await withToken(service, token).send(describeToken);
  if (response.status === 200) return '200';
  return `${response.status} ${((await response.json()) as { code: string }).code}`;
}

const revoked = '401 token_revoked';

type Choice = { tokens?: 'revoke' | 'keep' };
type Leaving = (person: Person, query?: Choice) => Promise<{ revokedTokens: number; keptTokens: number }>;

const remove: Leaving = (person, query = {}) =>
  owner.call(users.removeMember, { params: params(person), query });
const demote: Leaving = (person, choice = {}) =>
  owner.call(users.setMemberRole, { params: params(person), body: { role: 'viewer', ...choice } });
const deleteThem: Leaving = (person, query = {}) =>
  owner.call(users.deleteUser, { params: { user: person.id }, query });

const ways: [string, Leaving][] = [
  ['a removed member', remove],
  ['a member who becomes a viewer', demote],
  ['a deleted user', deleteThem],
];

for (const [name, leave] of ways) {
  describe(name, () => {
    it('loses the tokens they created, and those created with them, and others lose none', async () => {
      const person = await addPerson(service, { roles: { default: 'admin', other: 'member' } });
      const colleague = await addPerson(service, { roles: { default: 'admin' } });
      const admin = await addToken(person, { kind: 'admin' });
      const second = await addToken(withToken(service, admin.token), { kind: 'admin' });
      const third = await addToken(withToken(service, second.token), { kind: 'logs' });
      const media = await addToken(person, { name: 'game server' });
      const elsewhere = await addToken(person, { project: 'other' });
      const others = [await addToken(colleague), await addToken(owner)];
      const { revokedTokens, keptTokens } = await leave(person);
      assert.deepEqual([revokedTokens, keptTokens], [name.includes('deleted') ? 5 : 4, 0]);
      for (const { token } of [admin, second, third, media]) assert.equal(await tryToken(token), revoked);
      assert.equal(await tryToken(elsewhere.token), name.includes('deleted') ? revoked : '200');
      for (const { token } of others) assert.equal(await tryToken(token), '200');
      const { entries } = await owner.call(listProjectAudit, { params: { project: 'default' } });
      const recorded = entries.filter(
        ({ action, target }) => action === 'token.revoke' && target === media.id,
      );
      assert.equal(recorded.length, 1);
    });
    it('keeps them on request, and the response gives the number', async () => {
      const person = await addPerson(service, { roles: { default: 'member' } });
      const { token } = await addToken(person);
      assert.deepEqual(await countsOf(leave(person, { tokens: 'keep' })), [0, 1]);
      assert.equal(await tryToken(token), '200');
    });
    it('loses sessions and upload URLs', async () => {
      const person = await addPerson(service, { roles: { default: 'member' } });
      const logs = await addToken(person, { kind: 'logs' });
      const media = await addToken(person);
      const session = await withToken(service, logs.token).call(reportSession, { query: makeServer() });
      const headers = { authorization: media.token };
      const presigned = await service.fetch('/api/v3/file/presigned-url', { headers });
      // Other tests check this response's shape.
      const { data } = (await presigned.json()) as { data: { presignedUrl: string } };
      await leave(person);
      assert.equal(await tryToken(session.token), revoked);
      const target = { route: pathOf(data.presignedUrl), token: '' };
      const upload = await sendForm(service, formOf(await makePicture()), target);
      assert.equal(upload.status, 410);
    });
    it('loses tokens of an older version that recorded the maker as text', async () => {
      const person = await addPerson(service, { roles: { default: 'member' } });
      const { token, id } = await addToken(person);
      await changeDatabase(service, `UPDATE tokens SET maker_user_id = NULL WHERE id = '${id}'`);
      assert.deepEqual(await countsOf(leave(person)), [1, 0]);
      assert.equal(await tryToken(token), revoked);
    });
  });
}

async function countsOf(leaving: ReturnType<Leaving>): Promise<[number, number]> {
  const { revokedTokens, keptTokens } = await leaving;
  return [revokedTokens, keptTokens];
}

it('an admin who becomes a member loses the tokens that members cannot create', async () => {
  const person = await addPerson(service, { roles: { default: 'admin' } });
  const [admin, media] = [await addToken(person, { kind: 'admin' }), await addToken(person)];
  const body = { role: 'member' as const };
  await owner.call(users.setMemberRole, { params: params(person), body });
  assert.deepEqual([await tryToken(admin.token), await tryToken(media.token)], [revoked, '200']);
});

it('a former owner loses tokens created without a role, and keeps those their role allows', async () => {
  const person = await addPerson(service, { isOwner: true, roles: { other: 'member' } });
  const here = await addToken(person);
  const there = await addToken(person, { project: 'other' });
  await owner.call(users.updateUser, { params: { user: person.id }, body: { isOwner: false } });
  assert.deepEqual([await tryToken(here.token), await tryToken(there.token)], [revoked, '200']);
});

it('an owner who is removed from a project keeps their tokens', async () => {
  const person = await addPerson(service, { isOwner: true, roles: { default: 'member' } });
  const { token } = await addToken(person);
  assert.deepEqual(await countsOf(remove(person)), [0, 0]);
  assert.equal(await tryToken(token), '200');
});

it('a second node rejects them within a second', async () => {
  await using node = await startQuietService({ besides: service });
  const person = await addPerson(service, { roles: { default: 'member' } });
  const { token } = await addToken(person);
  const request = async () => (await withToken(node, token).send(describeToken)).status;
  assert.equal(await request(), 200);
  await remove(person);
  const deadline = performance.now() + 1000;
  while ((await request()) === 200)
    assert.ok(performance.now() < deadline, 'it works for more than a second');
});
