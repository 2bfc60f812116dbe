/** The first minute of an installation: who becomes its owner, and who does not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getMe, getState, setUp, signIn } from '@tapedeck/contract/accounts';
import { makeClient, withCookie } from '../support/client.ts';
import { addPerson, password } from '../support/people.ts';
import { makeDirectory, startQuietService, type TestService } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';

const owner = { email: 'Owner@Example.org', password };

test('the code printed at start makes the first visitor the owner, signed in', async () => {
  await using service = await startQuietService();
  const visitor = makeClient(service);
  assert.equal((await visitor.call(getState)).isSetUp, false);
  const response = await visitor.send(setUp, { body: { ...owner, code: service.setUpCode! } });
  assert.equal(response.status, 200);
  const me = await withCookie(service, readCookie(response)).call(getMe);
  assert.equal(me.user?.email, 'owner@example.org');
  assert.equal(me.user?.isOwner, true);
  assert.equal(me.user?.name, 'Owner');
  assert.deepEqual(
    me.projects.map(({ project, role }) => [project, role]),
    [['default', 'owner']],
  );
  assert.equal((await visitor.call(getState)).isSetUp, true);
  assert.equal(
    await visitor.refuse(setUp, { body: { ...owner, code: service.setUpCode! } }),
    '409 already_set_up',
  );
});

test('accepts the code as people type it; rejects a wrong one, then throttles', async () => {
  await using service = await startQuietService();
  const visitor = makeClient(service);
  const code = service.setUpCode!;
  assert.match(code, /^[A-Z2-9]{4}-[A-Z2-9]{4}-[A-Z2-9]{4}$/);
  for (const wrong of ['', 'AAAA-AAAA-AAAA', code.slice(0, -1), `${code}A`, service.url]) {
    assert.equal(
      await visitor.refuse(setUp, { body: { ...owner, code: wrong } }),
      '401 setup_code_wrong',
      wrong,
    );
  }
  assert.equal(await visitor.refuse(setUp, { body: { ...owner, code } }), '429 sign_in_slowed');
  service.clock.advance(60_000);
  const typed = ` ${code.toLowerCase().replaceAll('-', ' ')} `;
  await visitor.call(setUp, { body: { ...owner, code: typed } });
});

test('of many concurrent visitors with the code, one becomes the owner', async () => {
  await using service = await startQuietService();
  const visitor = makeClient(service);
  const tries = ['one', 'two', 'three'].map(name =>
    visitor.send(setUp, { body: { email: `${name}@example.org`, password, code: service.setUpCode! } }),
  );
  const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, 409, 409]);
  const store = await service.openStore();
  assert.equal((await store.read.users.list()).length, 1);
});

test('the code stays the same over restarts, and is removed when there is an owner', async () => {
  await using directory = await makeDirectory();
  const codes: (string | null)[] = [];
  for (const environment of [
    {},
    {},
    { TAPEDECK_ADMIN_EMAIL: owner.email, TAPEDECK_ADMIN_PASSWORD: password },
  ]) {
    await using service = await startQuietService({ dataDir: directory.path, environment });
    codes.push(service.setUpCode);
  }
  assert.equal(codes[0], codes[1]);
  assert.notEqual(codes[0], null);
  assert.equal(codes[2], null);
});

test('the configured owner can sign in, is created once, and keeps a changed password', async () => {
  await using directory = await makeDirectory();
  const start = (adminPassword: string) =>
    startQuietService({
      dataDir: directory.path,
      environment: { TAPEDECK_ADMIN_EMAIL: owner.email, TAPEDECK_ADMIN_PASSWORD: adminPassword },
    });
  for (const adminPassword of [password, 'another password']) {
    await using service = await start(adminPassword);
    await makeClient(service).call(signIn, { body: owner });
  }
});

test('users created on the command line do not count as owner', async () => {
  await using service = await startQuietService();
  await addPerson(service, { email: 'early@example.org', roles: { default: 'viewer' } });
  const visitor = makeClient(service);
  assert.equal((await visitor.call(getState)).isSetUp, false);
  const body = { email: 'early@example.org', password: 'another password', code: service.setUpCode! };
  const { user } = await visitor.call(setUp, { body });
  assert.equal(user.isOwner, true, 'the visitor with the code takes over the account of the same address');
  await visitor.call(signIn, { body: { email: user.email, password: 'another password' } });
});

test('an owner created on the command line ends the setup of the running service', async () => {
  await using service = await startQuietService();
  const args = ['user', 'create', '--email', owner.email, '--password', password, '--owner'];
  const environment = { TAPEDECK_DATA_DIR: service.dataDir };
  await tapedeck(args, environment);
  const visitor = makeClient(service);
  assert.equal((await visitor.call(getState)).isSetUp, true);
  assert.equal(await refuseSetUp(service), '409 already_set_up');
});

test('an account needs a valid address and a password that is long enough', async () => {
  await using service = await startQuietService();
  const visitor = makeClient(service);
  const rows: [string, Partial<typeof owner>][] = [
    ['no @', { email: 'owner' }],
    ['a space', { email: 'own er@example.org' }],
    ['an address of 255 characters', { email: `${'a'.repeat(243)}@example.org` }],
    ['a NUL', { email: 'a\0b@example.org' }],
    ['a password of 9 characters', { password: '123456789' }],
    ['a password of 257 characters', { password: 'x'.repeat(257) }],
  ];
  for (const [name, change] of rows) {
    service.clock.advance(60_000);
    const body = { ...owner, ...change, code: service.setUpCode! };
    assert.equal(await visitor.refuse(setUp, { body }), '400 invalid_field', name);
  }
});

function refuseSetUp(service: TestService): Promise<string> {
  return makeClient(service).refuse(setUp, { body: { ...owner, code: 'AAAA-AAAA-AAAA' } });
}

function readCookie(response: Response): string {
  return /tapedeck_session=(\w+)/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? '';
}
