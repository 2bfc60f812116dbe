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
async function judge(token: string): Promise<string> {
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
  ['a member who is removed', remove],
  ['a member who becomes a viewer', demote],
  ['a user who is deleted', deleteThem],
];

for (const [name, leave] of ways) {
  describe(name, () => {
    it('loses the tokens they made, with those that these minted, and nobody else does', async () => {
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
      for (const { token } of [admin, second, third, media]) assert.equal(await judge(token), revoked);
      assert.equal(await judge(elsewhere.token), name.includes('deleted') ? revoked : '200');
      for (const { token } of others) assert.equal(await judge(token), '200');
      const { entries } = await owner.call(listProjectAudit, { params: { project: 'default' } });
      const told = entries.filter(({ action, target }) => action === 'token.revoke' && target === media.id);
      assert.equal(told.length, 1);
    });
    it('keeps them where somebody says so, and is told how many', async () => {
      const person = await addPerson(service, { roles: { default: 'member' } });
      const { token } = await addToken(person);
      assert.deepEqual(await countsOf(leave(person, { tokens: 'keep' })), [0, 1]);
      assert.equal(await judge(token), '200');
    });
    it('takes along sessions and upload URLs', async () => {
      const person = await addPerson(service, { roles: { default: 'member' } });
      const logs = await addToken(person, { kind: 'logs' });
      const media = await addToken(person);
      const session = await withToken(service, logs.token).call(reportSession, { query: makeServer() });
      const headers = { authorization: media.token };
      const asked = await service.fetch('/api/v3/file/presigned-url', { headers });
      // Other tests check this response's shape.
      const { data } = (await asked.json()) as { data: { presignedUrl: string } };
      await leave(person);
      assert.equal(await judge(session.token), revoked);
      const target = { route: pathOf(data.presignedUrl), token: '' };
      const upload = await sendForm(service, formOf(await makePicture()), target);
      assert.equal(upload.status, 410);
    });
    it('loses tokens of a version that named their maker in words', async () => {
      const person = await addPerson(service, { roles: { default: 'member' } });
      const { token, id } = await addToken(person);
      await changeDatabase(service, `UPDATE tokens SET maker_user_id = NULL WHERE id = '${id}'`);
      assert.deepEqual(await countsOf(leave(person)), [1, 0]);
      assert.equal(await judge(token), revoked);
    });
  });
}

async function countsOf(leaving: ReturnType<Leaving>): Promise<[number, number]> {
  const { revokedTokens, keptTokens } = await leaving;
  return [revokedTokens, keptTokens];
}

it('an admin who becomes a member loses the tokens that members cannot make', async () => {
  const person = await addPerson(service, { roles: { default: 'admin' } });
  const [admin, media] = [await addToken(person, { kind: 'admin' }), await addToken(person)];
  const body = { role: 'member' as const };
  await owner.call(users.setMemberRole, { params: params(person), body });
  assert.deepEqual([await judge(admin.token), await judge(media.token)], [revoked, '200']);
});

it('an owner who is one no more loses what they made without a role, and keeps what their role makes', async () => {
  const person = await addPerson(service, { isOwner: true, roles: { other: 'member' } });
  const here = await addToken(person);
  const there = await addToken(person, { project: 'other' });
  await owner.call(users.updateUser, { params: { user: person.id }, body: { isOwner: false } });
  assert.deepEqual([await judge(here.token), await judge(there.token)], [revoked, '200']);
});

it('an owner who is removed from a project keeps the right to its tokens', async () => {
  const person = await addPerson(service, { isOwner: true, roles: { default: 'member' } });
  const { token } = await addToken(person);
  assert.deepEqual(await countsOf(remove(person)), [0, 0]);
  assert.equal(await judge(token), '200');
});

it('a second node refuses them within a second', async () => {
  await using node = await startQuietService({ besides: service });
  const person = await addPerson(service, { roles: { default: 'member' } });
  const { token } = await addToken(person);
  const ask = async () => (await withToken(node, token).send(describeToken)).status;
  assert.equal(await ask(), 200);
  await remove(person);
  const deadline = performance.now() + 1000;
  while ((await ask()) === 200) assert.ok(performance.now() < deadline, 'it works for more than a second');
});
