/** Invitations, second factors, passkeys, identities, and single-use tickets. */
import assert from 'node:assert/strict';
import type { ConformanceCase } from './cases.ts';
import {
  insertDefaultProject,
  sampleFactor,
  sampleIdentity,
  sampleInvitation,
  samplePasskey,
  sampleUser,
} from './samples.ts';

const { id: userId } = sampleUser();

export const identityCases: readonly ConformanceCase[] = [
  {
    title: 'finds an invitation by id and hash, and lists it where it belongs until it is revoked',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const first = sampleInvitation({ createdAt: 1 });
      const second = sampleInvitation({ id: 'second', createdAt: 2, maker: { kind: 'token', id: 't' } });
      const bare = sampleInvitation({ id: 'bare', place: null, email: 'a@example.org' });
      await store.write(async ({ invitations }) => {
        for (const each of [first, second, bare]) await invitations.insert(each);
      });
      const { invitations } = store.read;
      assert.deepEqual(await invitations.find('bare'), bare);
      assert.deepEqual(await invitations.findByHash(second.hash), second);
      assert.equal(await invitations.findByHash('other'), null);
      assert.deepEqual(await invitations.list('default'), [second, first]);
      assert.deepEqual(await invitations.list(null), [bare]);
      const used = { ...first, used: { at: 5, userId: 'whoever' } };
      await store.write(async records => {
        await records.invitations.update(used);
        await records.invitations.update({ ...second, revokedAt: 6 });
      });
      assert.deepEqual(await invitations.list('default'), [used]);
      assert.equal((await invitations.find('second'))?.revokedAt, 6);
    },
  },
  {
    title: 'forgets expired invitations, and no others',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      await store.write(async ({ invitations }) => {
        await invitations.insert(sampleInvitation({ id: 'old', expiresAt: 9 }));
        await invitations.insert(sampleInvitation({ id: 'new', expiresAt: 10 }));
        await invitations.removeExpired(10);
      });
      assert.deepEqual(
        (await store.read.invitations.list('default')).map(({ id }) => id),
        ['new'],
      );
    },
  },
  {
    title: 'accepts a step of a second factor once, and none in the hour before it',
    run: async ({ store }) => {
      await store.write(async ({ users, secondFactors }) => {
        await users.insert(sampleUser());
        await secondFactors.put(sampleFactor({ lastStep: 1 }));
        await secondFactors.put(sampleFactor({ secret: 'other', lastStep: 7 }));
      });
      assert.deepEqual(
        await store.read.secondFactors.find(userId),
        sampleFactor({ secret: 'other', lastStep: 7 }),
      );
      const take = (step: number) => store.write(records => records.secondFactors.consumeStep(userId, step));
      assert.equal(await take(7), false);
      const taken = await Promise.all([take(9), take(9), take(9)]);
      assert.equal(taken.filter(Boolean).length, 1);
      assert.equal(await take(8), false);
      assert.equal(await take(9 + 1_000), true);
      assert.equal(await take(9 + 880), false, 'an hour is 120 steps');
      assert.equal(await take(9 + 879), true, 'a clock that was ahead wrote the last step');
      assert.equal(await take(9 + 879), false);
      assert.deepEqual(await store.read.secondFactors.listUserIds(), [userId]);
    },
  },
  {
    title: 'accepts a recovery code once; new ones replace the old; all are removed with the factor',
    run: async ({ store }) => {
      await store.write(async ({ users, secondFactors }) => {
        await users.insert(sampleUser());
        await secondFactors.put(sampleFactor());
        await secondFactors.replaceRecoveryCodes(userId, ['old']);
        await secondFactors.replaceRecoveryCodes(userId, ['a', 'b']);
      });
      const take = (hash: string) =>
        store.write(records => records.secondFactors.consumeRecoveryCode(userId, hash));
      const taken = await Promise.all([take('a'), take('a')]);
      assert.deepEqual(taken.toSorted(), [false, true]);
      assert.equal(await take('old'), false);
      assert.equal(await store.read.secondFactors.countRecoveryCodes(userId), 1);
      assert.equal(await store.write(records => records.secondFactors.remove(userId)), true);
      assert.equal(await store.write(records => records.secondFactors.remove(userId)), false);
      assert.equal(await store.read.secondFactors.countRecoveryCodes(userId), 0);
    },
  },
  {
    title: 'a passkey belongs to one user, records its use, and only that user removes it',
    run: async ({ store }) => {
      await store.write(async ({ users, passkeys }) => {
        await users.insert(sampleUser());
        await users.insert(sampleUser({ id: 'other' }));
        await passkeys.insert(samplePasskey());
        await passkeys.insert(samplePasskey({ id: 'second', createdAt: 1_800_000_000_000 }));
        await passkeys.recordUse('second', { counter: 4, usedAt: 5 });
      });
      await assert.rejects(
        store.write(records => records.passkeys.insert(samplePasskey({ userId: 'other' }))),
        { code: 'name_taken' },
      );
      const second = samplePasskey({
        id: 'second',
        createdAt: 1_800_000_000_000,
        counter: 4,
        lastUsedAt: 5,
      });
      assert.deepEqual(await store.read.passkeys.listOfUser(userId), [samplePasskey(), second]);
      assert.deepEqual(await store.read.passkeys.find('second'), second);
      assert.equal(await store.write(records => records.passkeys.remove('other', 'second')), false);
      assert.equal(await store.write(records => records.passkeys.remove(userId, 'second')), true);
      assert.equal(await store.read.passkeys.find('second'), null);
    },
  },
  {
    title: 'an identity belongs to one user, records its use, and only that user removes it',
    run: async ({ store }) => {
      await store.write(async ({ users, identities }) => {
        await users.insert(sampleUser());
        await users.insert(sampleUser({ id: 'other' }));
        await identities.insert(sampleIdentity());
        await identities.insert(sampleIdentity({ id: 'elsewhere', issuer: 'https://other.example' }));
        await identities.recordUse('elsewhere', 5);
      });
      await assert.rejects(
        store.write(records => records.identities.insert(sampleIdentity({ id: 'x', userId: 'other' }))),
        { code: 'name_taken' },
      );
      const { identities } = store.read;
      assert.deepEqual(await identities.findBySubject('https://id.example', 'subject'), sampleIdentity());
      assert.equal(await identities.findBySubject('https://id.example', 'other'), null);
      assert.deepEqual(
        (await identities.listOfUser(userId)).map(({ id, lastUsedAt }) => [id, lastUsedAt]),
        [
          ['elsewhere', 5],
          ['identity000000000000', null],
        ],
      );
      assert.equal(await store.write(records => records.identities.remove('other', 'elsewhere')), false);
      assert.equal(await store.write(records => records.identities.remove(userId, 'elsewhere')), true);
    },
  },
  {
    title: 'a ticket is used once, even concurrently',
    run: async ({ store }) => {
      const spend = (hash: string) => store.write(records => records.spentTickets.spend(hash, 10));
      const spent = await Promise.all(['a', 'a', 'a', 'b'].map(spend));
      assert.equal(spent.filter(Boolean).length, 2);
      await store.write(records => records.spentTickets.removeExpired(10));
      assert.equal(await spend('a'), false);
      await store.write(records => records.spentTickets.removeExpired(11));
      assert.equal(await spend('a'), true);
    },
  },
  {
    title: 'all credentials are removed with their user',
    run: async ({ store }) => {
      await store.write(async ({ users, secondFactors, passkeys, identities }) => {
        await users.insert(sampleUser());
        await secondFactors.put(sampleFactor());
        await secondFactors.replaceRecoveryCodes(userId, ['a']);
        await passkeys.insert(samplePasskey());
        await identities.insert(sampleIdentity());
        await users.remove(userId);
      });
      const { secondFactors, passkeys, identities } = store.read;
      assert.equal(await secondFactors.find(userId), null);
      assert.equal(await secondFactors.countRecoveryCodes(userId), 0);
      assert.equal(await passkeys.find('credential-id'), null);
      assert.equal(await identities.findBySubject('https://id.example', 'subject'), null);
    },
  },
];
