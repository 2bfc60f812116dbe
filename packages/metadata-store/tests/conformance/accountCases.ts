/** Users, memberships, sign-in sessions and failed attempts. */
import assert from 'node:assert/strict';
import type { ConformanceCase } from './cases.ts';
import { insertDefaultProject, sampleProject, sampleSession, sampleUser } from './samples.ts';

export const accountCases: readonly ConformanceCase[] = [
  {
    title: 'finds users by id and email address, lists them by address, and counts them',
    run: async ({ store }) => {
      const users = [
        sampleUser({ id: 'b', email: 'b@example.com', isOwner: true }),
        sampleUser({ id: 'a', email: 'z@example.com' }),
        sampleUser({ id: 'c', email: 'a@example.com' }),
      ];
      for (const user of users) await store.write(records => records.users.insert(user));
      assert.deepEqual(await store.read.users.find('b'), users[0]);
      assert.deepEqual(await store.read.users.findByEmail('z@example.com'), users[1]);
      assert.equal(await store.read.users.find('other'), null);
      assert.equal(await store.read.users.findByEmail('other@example.com'), null);
      assert.deepEqual(await store.read.users.list(), [users[2], users[0], users[1]]);
      assert.deepEqual(
        [(await store.read.users.list()).length, await store.read.users.countOwners()],
        [3, 1],
      );
    },
  },
  {
    title: 'an email address belongs to one user, on insert and update',
    run: async ({ store }) => {
      await store.write(records => records.users.insert(sampleUser({ id: 'a', email: 'a@example.com' })));
      await store.write(records => records.users.insert(sampleUser({ id: 'b', email: 'b@example.com' })));
      const refusal = { code: 'name_taken', message: /a@example\.com/ };
      await assert.rejects(
        store.write(records => records.users.insert(sampleUser({ id: 'c', email: 'a@example.com' }))),
        refusal,
      );
      await assert.rejects(
        store.write(records => records.users.update(sampleUser({ id: 'b', email: 'a@example.com' }))),
        refusal,
      );
      const changed = sampleUser({
        id: 'b',
        email: 'new@example.com',
        verifiedEmail: 'new@example.com',
        name: 'New',
        passwordHash: 'x',
        isOwner: true,
      });
      await store.write(records => records.users.update({ ...changed, createdAt: 1 }));
      assert.deepEqual(await store.read.users.find('b'), changed);
    },
  },
  {
    title: 'removing a user removes memberships and sessions',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      await store.write(async records => {
        await records.users.insert(sampleUser({ id: 'a' }));
        await records.memberships.put({ userId: 'a', project: 'default', role: 'member' });
        await records.signIns.insertSession(sampleSession({ userId: 'a' }));
      });
      assert.equal(await store.write(records => records.users.remove('a')), true);
      assert.equal(await store.write(records => records.users.remove('a')), false);
      assert.equal(await store.read.signIns.findSession('session-hash'), null);
      assert.deepEqual(await store.read.memberships.listOfProject('default'), []);
    },
  },
  {
    title: 'sets, replaces and removes a membership, and lists it from both sides',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      await store.manage(records => records.projects.insert(sampleProject({ slug: 'second' })));
      await store.write(async ({ users, memberships }) => {
        await users.insert(sampleUser({ id: 'a' }));
        await users.insert(sampleUser({ id: 'b' }));
        await memberships.put({ userId: 'a', project: 'second', role: 'viewer' });
        await memberships.put({ userId: 'a', project: 'default', role: 'viewer' });
        await memberships.put({ userId: 'b', project: 'default', role: 'member' });
        await memberships.put({ userId: 'a', project: 'default', role: 'admin' });
      });
      const ofDefault = { userId: 'a', project: 'default', role: 'admin' };
      assert.deepEqual(await store.read.memberships.listOfUser('a'), [
        ofDefault,
        { userId: 'a', project: 'second', role: 'viewer' },
      ]);
      assert.deepEqual(await store.read.memberships.listOfProject('default'), [
        ofDefault,
        { userId: 'b', project: 'default', role: 'member' },
      ]);
      assert.equal(await store.write(records => records.memberships.remove('a', 'default')), true);
      assert.equal(await store.write(records => records.memberships.remove('a', 'default')), false);
    },
  },
  {
    title: 'rejects references to a deleted user with a sentence',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      await assert.rejects(
        store.write(records => records.signIns.insertSession(sampleSession({ userId: 'gone' }))),
        { code: 'not_found' },
      );
      await assert.rejects(
        store.write(records =>
          records.memberships.put({ userId: 'gone', project: 'default', role: 'admin' }),
        ),
        { code: 'not_found' },
      );
    },
  },
  {
    title: 'finds and extends sessions, lists them newest first, and removes one, some or all',
    run: async ({ store }) => {
      await store.write(async ({ users, signIns }) => {
        await users.insert(sampleUser());
        await signIns.insertSession(sampleSession({ hash: 'one', createdAt: 1 }));
        await signIns.insertSession(sampleSession({ hash: 'two', createdAt: 2 }));
        await signIns.insertSession(sampleSession({ hash: 'three', createdAt: 3 }));
        await signIns.extendSession('one', 1_800_000_000_000);
      });
      const { id } = sampleUser();
      const listHashes = async () =>
        (await store.read.signIns.listSessionsOfUser(id)).map(session => session.hash);
      assert.deepEqual(
        await store.read.signIns.findSession('one'),
        sampleSession({ hash: 'one', createdAt: 1, expiresAt: 1_800_000_000_000 }),
      );
      assert.deepEqual(await listHashes(), ['three', 'two', 'one']);
      assert.equal(await store.write(records => records.signIns.removeSession('three')), true);
      assert.equal(await store.write(records => records.signIns.removeSession('three')), false);
      await store.write(records => records.signIns.removeSessionsOfUser(id, 'one'));
      assert.deepEqual(await listHashes(), ['one']);
      await store.write(records => records.signIns.removeSessionsOfUser(id, null));
      assert.deepEqual(await listHashes(), []);
    },
  },
  {
    title: 'counts failed attempts per key and forgets them; removes only stale ones',
    run: async ({ store }) => {
      await store.write(async ({ users, signIns }) => {
        await users.insert(sampleUser());
        await signIns.insertSession(sampleSession({ hash: 'ended', expiresAt: 99 }));
        await signIns.insertSession(sampleSession({ hash: 'live', expiresAt: 100 }));
        await signIns.putFailures({ key: 'account:a', failures: 1, lastFailedAt: 10 });
        await signIns.putFailures({ key: 'account:a', failures: 2, lastFailedAt: 50 });
        await signIns.putFailures({ key: 'address:b', failures: 1, lastFailedAt: 49 });
        await signIns.putFailures({ key: 'address:c', failures: 1, lastFailedAt: 60 });
        await signIns.removeFailures('address:c');
        await signIns.removeStale({ sessionsEndedAt: 100, failuresSeenAt: 50 });
      });
      assert.deepEqual(await store.read.signIns.findFailures('account:a'), {
        key: 'account:a',
        failures: 2,
        lastFailedAt: 50,
      });
      for (const key of ['address:b', 'address:c'])
        assert.equal(await store.read.signIns.findFailures(key), null);
      assert.equal(await store.read.signIns.findSession('ended'), null);
      assert.notEqual(await store.read.signIns.findSession('live'), null);
    },
  },
];
