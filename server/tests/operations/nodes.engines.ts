/** Two nodes on one PostgreSQL: each sees changes made at the other, and they share their counts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { changePassword, getMe, setUp, signIn, signOut } from '@tapedeck/contract/accounts';
import { listAudit } from '@tapedeck/contract/audit';
import { deleteProject } from '@tapedeck/contract/projects';
import { getReadiness } from '@tapedeck/contract/system';
import { createToken, describeToken, listTokens, revokeToken } from '@tapedeck/contract/tokens';
import { deleteUser } from '@tapedeck/contract/users';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { makeClient, withCookie, withToken } from '../support/client.ts';
import { addPerson, addProject, addToken, password } from '../support/people.ts';
import { makeStoppedClock, startTestService, type TestService } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';

const postgres = await startPostgres();
const environment = { TAPEDECK_DATABASE_URL: postgres.urlOf('postgres'), TAPEDECK_SECRET: 's'.repeat(40) };
const clock = makeStoppedClock();
const first = await startTestService({ environment, clock });
const second = await startTestService({ environment, clock });
after(async () => {
  for (const opened of [first, second, postgres]) await opened[Symbol.asyncDispose]();
});
const params = { project: 'default' };
const removalMsMax = 1_000; // CONTRACT.md, 2

const setUpCodes = [first.setUpCode, second.setUpCode];
/** Both nodes at once, before there is an owner. */
const setUps = await Promise.all(
  [first, second].map((node, index) =>
    makeClient(node).send(setUp, {
      body: { email: `owner${index}@example.org`, password, code: node.setUpCode! },
    }),
  ),
);
const owner = await addPerson(first, { isOwner: true });

test('of two concurrent visitors on two nodes, one becomes the owner', () => {
  assert.equal(setUpCodes[0], setUpCodes[1]);
  assert.deepEqual(setUps.map(({ status }) => status).sort(), [200, 409]);
});

test('a token from one node works on the other at once; a revoked one is rejected within a second', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { token, id } = await addToken(owner);
    await withToken(second, token).call(describeToken);
    await owner.call(revokeToken, { params: { ...params, token: id } });
    await assertRefusedSoon(second, token);
  }
});

test('the command line is a node, too', async () => {
  const token = (
    await tapedeck(['token', 'create', '--kind', 'logs', '--name', 'by hand'], environment)
  ).trim();
  for (const node of [first, second]) await withToken(node, token).call(describeToken);
  const { tokens } = await owner.call(listTokens, { params });
  await tapedeck(['token', 'revoke', tokens.find(({ name }) => name === 'by hand')!.id], environment);
  for (const node of [first, second]) await assertRefusedSoon(node, token);
});

test('a project deleted on one node is gone on the other, with its tokens', async () => {
  const project = await addProject(owner, 'short-lived');
  const { token } = await addToken(owner, { project });
  await withToken(second, token).call(describeToken);
  await owner.call(deleteProject, { params: { project } });
  await assertRefusedSoon(second, token);
});

test('guesses on both nodes count together', async () => {
  const { email } = await addPerson(first);
  const guesses = Array.from({ length: 20 }, (_, index) =>
    makeClient(index % 2 ? first : second).send(signIn, { body: { email, password: 'wrong password' } }),
  );
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  assert.equal(statuses.filter(status => status === 401).length, 5);
  assert.equal(statuses.filter(status => status === 429).length, 15);
});

test('a session works on all nodes, and ends on all at once', async () => {
  const person = await addPerson(first);
  const there = withCookie(second, person.cookie);
  assert.equal((await there.call(getMe)).user?.email, person.email);
  await person.call(signOut);
  assert.equal(await there.refuse(getMe), '401 session_missing');
});

test('a password changed on one node ends the sessions on the other', async () => {
  const person = await addPerson(first);
  const response = await makeClient(second).send(signIn, { body: { email: person.email, password } });
  const cookie = /tapedeck_session=(\w+)/.exec(response.headers.get('set-cookie')!)![1]!;
  await person.call(changePassword, { body: { currentPassword: password, newPassword: 'another password' } });
  assert.equal(await withCookie(second, cookie).refuse(getMe), '401 session_missing');
});

test('owners who delete each other on different nodes leave one', async () => {
  const store = await first.openStore();
  for (const { id, isOwner } of await store.read.users.list()) {
    if (isOwner && id !== owner.id) await owner.call(deleteUser, { params: { user: id } });
  }
  const other = await addPerson(second, { isOwner: true });
  const [one, two] = await Promise.all([
    owner.send(deleteUser, { params: { user: other.id } }),
    other.send(deleteUser, { params: { user: owner.id } }),
  ]);
  assert.deepEqual([one.status, two.status].filter(status => status === 200).length, 1);
  assert.equal(await store.read.users.countOwners(), 1);
});

test('the audit log has all concurrent changes of both nodes, each once', async () => {
  const makers = await Promise.all(
    [first, second].map(node => addPerson(node, { roles: { default: 'admin' } })),
  );
  const names = Array.from({ length: 40 }, (_, index) => `parallel ${index}`);
  await Promise.all(
    names.map((name, index) =>
      makers[index % 2]!.call(createToken, { params, body: { kind: 'media', name } }),
    ),
  );
  const reader = await addPerson(second, { isOwner: true });
  const { entries } = await reader.call(listAudit, { query: { limit: 100 } });
  const logged = entries.map(({ details }) => details.name).filter(name => names.includes(String(name)));
  assert.deepEqual(logged.toSorted(), names.toSorted());
});

test('rejects names that cannot be stored or displayed, and keeps all others', async () => {
  const maker = await addPerson(first, { roles: { default: 'admin' } });
  const make = (name: string) => maker.send(createToken, { params, body: { kind: 'media', name } });
  for (const name of ['a\0b', '\u{d800}', '\u007f\u0001']) assert.equal((await make(name)).status, 400);
  for (const name of ['Fjäll 🎞️ مرحبا', "'; DROP TABLE tokens; --"]) {
    assert.equal((await make(name)).status, 200, JSON.stringify(name));
  }
});

test('without the database only known tokens work, and everything again when it is back', async () => {
  const person = await addPerson(first, { isOwner: true });
  const { token } = await addToken(person);
  for (const node of [first, second]) await withToken(node, token).call(describeToken);
  await postgres.crash();
  for (const node of [first, second]) {
    await withToken(node, token).call(describeToken);
    assert.equal(await withToken(node, 'x'.repeat(32)).refuse(describeToken), '503 unavailable');
    assert.equal(await withCookie(node, person.cookie).refuse(getMe), '503 unavailable');
    const { checks, reasons } = await makeClient(node).call(getReadiness);
    assert.equal(checks.database, 'failing');
    assert.match(reasons.join(), /database/);
    assert.equal((await node.fetch('/healthz')).status, 200);
  }
  await postgres.restart();
  for (const node of [first, second]) {
    await withToken(node, token).call(describeToken);
    await withCookie(node, person.cookie).call(getMe);
    assert.equal((await makeClient(node).call(getReadiness)).checks.database, 'ok');
  }
});

async function assertRefusedSoon(
  node: TestService,
  token: string,
  expected = '401 token_revoked',
): Promise<void> {
  const deadline = performance.now() + removalMsMax;
  while ((await withToken(node, token).send(describeToken)).status === 200) {
    assert.ok(performance.now() < deadline, 'the other node accepts it for more than a second');
    await wait(20);
  }
  assert.equal(await withToken(node, token).refuse(describeToken), expected);
}
