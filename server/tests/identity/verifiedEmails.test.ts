/** An email address counts as a user's only if verified; then the provider's sign-in opens their account and roles apply to it. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { getMe } from '@tapedeck/contract/accounts';
import { acceptInvitation, createInvitation, joinByInvitation } from '@tapedeck/contract/invitations';
import { beginLinking } from '@tapedeck/contract/providerSignIn';
import { getWaysIn } from '@tapedeck/contract/secondFactors';
import { addMember, createUser, updateUser } from '@tapedeck/contract/users';
import { makeClient, withCookie } from '../support/client.ts';
import { startClaimsProvider } from '../support/openIdProviders.ts';
import { addPerson, type Person, password } from '../support/people.ts';
import { begin, callback, comeBack, readBegun, startBeside } from '../support/providerVisits.ts';
import { changeDatabase } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';

const provider = await startClaimsProvider();
const service = await startBeside(provider, {
  TAPEDECK_ADMIN_EMAIL: 'Admin@Example.org',
  TAPEDECK_ADMIN_PASSWORD: password,
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});
const owner = await addPerson(service, { isOwner: true });
const admin = await addPerson(service, { roles: { default: 'admin' } });
let subjects = 0;

function claim(email: string, sub = `subject ${++subjects}`): void {
  provider.tell({ claims: { sub, email, email_verified: true, name: 'Somebody' } });
}

const answerOf = (url: string) => {
  const parameters = new URL(url).searchParams;
  return `${callback}?${new URLSearchParams({ code: parameters.get('nonce')!, state: parameters.get('state')! })}`;
};

/** Returns who is signed in after a provider sign-in with the verified address, or the obstacle. */
async function visitAs(email: string, body: { invitation?: string } = {}): Promise<string> {
  claim(email);
  const { url, errand } = await begin(service, body);
  const { to, session } = await comeBack(service, answerOf(url), [errand]);
  if (session === null) return to.replace('/sign-in?trouble=', '');
  return (await withCookie(service, session).call(getMe)).user!.id;
}

async function join(maker: Person, place: 'project' | 'installation', [email, named]: [string, string?]) {
  const params = { project: 'default' };
  const body = { role: 'viewer' as const, ...(named && { email: named }) };
  const { secret } =
    place === 'project'
      ? await maker.call(createInvitation, { params, body })
      : ((await (
          await service.fetch('/api/manage/invitations', {
            method: 'POST',
            headers: { cookie: `tapedeck_session=${maker.cookie}`, 'content-type': 'application/json' },
            body: JSON.stringify(named ? { email: named } : {}),
          })
        ).json()) as { secret: string }); // the contract's shape, which other tests check
  const joined = await makeClient(service).send(joinByInvitation, {
    body: { secret, email, name: 'Taker', password },
  });
  assert.equal(joined.status, 200, await joined.clone().text());
  const cookie = /tapedeck_session=(\w+)/.exec(joined.headers.get('set-cookie')!)![1]!;
  const { id } = (await withCookie(service, cookie).call(getMe)).user!;
  return { id, client: withCookie(service, cookie) };
}

const roleFor = (email: string) => ({
  params: { project: 'default' },
  body: { email, role: 'viewer' as const },
});

const unverified = 'provider_email_unverified';

describe('an unverified address grants nothing', () => {
  const rows: [string, (email: string) => Promise<unknown>][] = [
    ['from an invitation without an address', email => join(owner, 'installation', [email])],
    ['from an invitation to a project', email => join(admin, 'project', [email])],
    ['from an invitation that names it', email => join(admin, 'project', [email, email])],
    ['from an owner’s invitation that names it', email => join(owner, 'installation', [email, email])],
    ['in capitals', email => join(owner, 'installation', [email.toUpperCase()])],
    ['from before this version', email => addPerson(service, { email, isVerified: false })],
    [
      'then changed by a node of the previous version',
      async email => {
        const { id } = await addPerson(service, { email: `before-${email}` });
        await changeDatabase(service, `UPDATE users SET email = '${email}' WHERE id = '${id}'`);
      },
    ],
  ];
  for (const [index, [name, take]] of rows.entries()) {
    it(name, async () => {
      const email = `victim${index}@example.org`;
      await take(email);
      assert.equal(await visitAs(email), unverified);
      const { secret } = await owner.call(createInvitation, {
        params: { project: 'default' },
        body: { role: 'viewer', email },
      });
      assert.equal(await visitAs(email, { invitation: secret }), unverified, 'nor with an invitation');
      for (const giver of [admin, owner])
        assert.equal(await giver.refuse(addMember, roleFor(email)), '404 not_found', 'and gets no role');
    });
  }
  it('and its user gets roles by an invitation, or once an owner has verified it', async () => {
    const email = 'typed-for-roles@example.org';
    const { id, client } = await join(owner, 'installation', [email]);
    const input = { params: { project: 'default' }, body: { role: 'viewer' as const } };
    const { secret } = await admin.call(createInvitation, input);
    assert.equal((await client.send(acceptInvitation, { body: { secret } })).status, 200);
    assert.equal(await admin.refuse(addMember, roleFor(email)), '404 not_found');
    await owner.call(updateUser, { params: { user: id }, body: { emailVerified: true } });
    assert.equal((await admin.call(addMember, roleFor(email))).member.id, id);
  });
  it('nothing is linked, not even partly', async () => {
    const { client } = await join(owner, 'installation', ['half@example.org']);
    assert.equal(await visitAs('half@example.org'), unverified);
    assert.deepEqual((await client.call(getWaysIn)).identities, []);
  });
  it('and stays unverified when an owner resends the whole record, or other changes', async () => {
    const { id } = await join(owner, 'installation', ['again@example.org']);
    const params = { user: id };
    const body = { email: 'Again@example.org', name: 'Other', isOwner: false };
    const { user } = await owner.call(updateUser, { params, body });
    assert.equal(user.emailVerified, false);
    assert.equal(await visitAs('again@example.org'), unverified);
  });
});

describe('a verified address gives access to the account', () => {
  const rows: [string, string, () => Promise<string>][] = [
    [
      'an owner creates the user',
      'Made@example.org',
      async () =>
        (await owner.call(createUser, { body: { email: 'Made@Example.org', password, name: 'M' } })).user.id,
    ],
    [
      'an owner sets another address',
      'given@example.org',
      async () => {
        const { id } = await join(owner, 'installation', ['typed@example.org']);
        await owner.call(updateUser, { params: { user: id }, body: { email: 'given@example.org' } });
        return id;
      },
    ],
    [
      'an owner marks it as verified',
      'marked@example.org',
      async () => {
        const { id } = await join(owner, 'installation', ['marked@example.org']);
        await owner.call(updateUser, { params: { user: id }, body: { emailVerified: true } });
        return id;
      },
    ],
    [
      'the command line creates the user',
      'line@example.org',
      async () => {
        const line = ['user', 'create', '--email', 'Line@example.org', '--password', password, '--json'];
        return JSON.parse(await tapedeck(line, { TAPEDECK_DATA_DIR: service.dataDir })).id;
      },
    ],
    [
      'the configuration names the owner',
      'admin@example.org',
      async () => {
        const store = await service.openStore();
        return (await store.read.users.findByEmail('admin@example.org'))!.id;
      },
    ],
  ];
  for (const [name, email, make] of rows) {
    it(name, async () => {
      const id = await make();
      assert.equal(await visitAs(email), id);
      assert.equal((await admin.call(addMember, roleFor(email))).member.id, id, 'and gets roles');
    });
  }
  it('its user links it with the password, and other identities with the address work from then on', async () => {
    const { id, client } = await join(owner, 'installation', ['own@example.org']);
    assert.equal(await visitAs('own@example.org'), unverified);
    claim('own@example.org');
    const begun = await readBegun(await client.send(beginLinking, { body: { password } }));
    const cookie = /tapedeck_session=(\w+)/.exec(
      (
        await service.fetch('/api/manage/sign-in', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email: 'own@example.org', password }),
        })
      ).headers.get('set-cookie')!,
    )![0];
    const { to } = await comeBack(service, answerOf(begun.url), [begun.errand, cookie]);
    assert.equal(to, '/account');
    assert.equal(await visitAs('own@example.org'), id);
  });
  it('linking an identity with another address verifies nothing', async () => {
    const { client } = await join(owner, 'installation', ['squatted@example.org']);
    claim('squatter@example.org');
    const begun = await readBegun(await client.send(beginLinking, { body: { password } }));
    const signedIn = await service.fetch('/api/manage/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'squatted@example.org', password }),
    });
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    assert.equal((await comeBack(service, answerOf(begun.url), [begun.errand, cookie])).to, '/account');
    assert.equal(await visitAs('squatted@example.org'), unverified);
  });
  it('until an owner revokes the verification, or the address changes', async () => {
    const { user } = await owner.call(createUser, { body: { email: 'back@example.org', password } });
    assert.equal(user.emailVerified, true);
    const body = { emailVerified: false };
    const changed = await owner.call(updateUser, { params: { user: user.id }, body });
    assert.equal(changed.user.emailVerified, false);
    assert.equal(await visitAs('back@example.org'), unverified);
  });
});

describe('similar addresses', () => {
  const rows: [string, string][] = [
    ['the Kelvin sign is not k', 'ni\u212ae@example.org'],
    ['a full-width k is not k', 'ni\uff4be@example.org'],
    ['a dotted capital I is not i', 'n\u0130ke@example.org'],
    ['a line break does not end it', 'nike@example.org\n'],
    ['a zero byte does not end it', 'nike@example.org\0'],
    ['a leading space', ' nike@example.org'],
  ];
  it('the same in capitals is equal', async () => {
    const { id } = await addPerson(service, { email: 'nike@example.org' });
    assert.equal(await visitAs('NIKE@Example.ORG'), id);
  });
  for (const [name, email] of rows)
    it(name, async () => assert.equal(await visitAs(email), 'provider_user_unknown'));
});
