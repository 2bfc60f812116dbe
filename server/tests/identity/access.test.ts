/** How tokens grant access: where they are sent, how soon a revocation applies, and what happens when the database is unavailable. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { deleteProject } from '@tapedeck/contract/projects';
import { getReadiness } from '@tapedeck/contract/system';
import { describeToken, listTokens, revokeToken } from '@tapedeck/contract/tokens';
import { trustMsMax } from '@tapedeck/domain/identity/access';
import { describeRefusal, makeClient, withToken } from '../support/client.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { changeDatabase, openDatabaseFile, startQuietService, type TestService } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const project = 'default';
const noticedMsMax = 20_000; // far more than it takes, even on a busy machine
const revocationMsMax = 1_000; // CONTRACT.md, 2

test('accepts a token in the header, with or without Bearer', async () => {
  const { token } = await addToken(owner);
  const rows: [string, number][] = [
    [token, 200],
    [`Bearer ${token}`, 200],
    [`bearer ${token}`, 200],
    [`BEARER   ${token} `, 200],
    [` ${token} `, 200],
    [`Basic ${token}`, 401],
    [`Bearer${token}`, 401],
    [`${token}x`, 401],
    [token.slice(0, -1), 401],
    [token.toLowerCase() === token ? token.toUpperCase() : token.toLowerCase(), 401],
    ['Bearer', 401],
    ['Bearer ', 401],
    ['', 401],
    ['x'.repeat(10_000), 401],
    ['__proto__', 401],
  ];
  for (const [authorization, status] of rows) {
    const response = await makeClient(service, { authorization }).send(describeToken);
    assert.equal(response.status, status, authorization.slice(0, 60).replace(token, '<token>'));
    if (status === 401) assert.match(response.headers.get('www-authenticate')!, /^Bearer/);
  }
});

test('accepts a token in the query only on the routes that declare it', async () => {
  const { token } = await addToken(owner);
  const response = await service.fetch(`/api/v3/token?apiKey=${token}`);
  assert.equal(await describeRefusal(response), '401 token_missing');
});

test('a token from the command line works at once; one revoked there is rejected within a second', async () => {
  const environment = { TAPEDECK_DATA_DIR: service.dataDir };
  const create = ['token', 'create', '--kind', 'logs', '--name', 'by hand'];
  const token = (await tapedeck(create, environment)).trim();
  assert.match(token, /^[0-9A-Za-z]{32}$/);
  const { data } = await withToken(service, token).call(describeToken);
  assert.deepEqual(data, { kind: 'logs', project, name: 'by hand', scopes: [] });
  const { tokens } = await owner.call(listTokens, { params: { project } });
  const { id } = tokens.find(({ name }) => name === 'by hand')!;
  await tapedeck(['token', 'revoke', id], environment);
  await assertRefusedSoon(service, token, '401 token_revoked');
});

test("two services on one database see each other's changes within a second", async () => {
  await using other = await startQuietService({ besides: service });
  const { token, id } = await addToken(owner);
  await withToken(other, token).call(describeToken);
  await owner.call(revokeToken, { params: { project, token: id } });
  assert.equal(await withToken(service, token).refuse(describeToken), '401 token_revoked', 'here at once');
  await assertRefusedSoon(other, token, '401 token_revoked');
});

test('rejects the tokens of a deleted project, also at the other service', async () => {
  await using other = await startQuietService({ besides: service });
  await addProject(owner, 'short-lived');
  const { token } = await addToken(owner, { project: 'short-lived', kind: 'admin' });
  await withToken(other, token).call(describeToken);
  await owner.call(deleteProject, { params: { project: 'short-lived' } });
  assert.equal(await withToken(service, token).refuse(describeToken), '401 token_revoked');
  await assertRefusedSoon(other, token, '401 token_revoked');
});

test('rejects a token from the instant of its expiry', async () => {
  const expiresAt = new Date(service.clock.now() + 60_000).toISOString();
  const { token } = await addToken(owner, { expiresAt });
  await withToken(service, token).call(describeToken);
  service.clock.advance(60_000);
  assert.equal(await withToken(service, token).refuse(describeToken), '401 token_expired');
});

test('last use is listed at once, without a write per request', async () => {
  const { token, id } = await addToken(owner);
  using database = openDatabaseFile(service);
  const versions = new Set<unknown>();
  for (let uses = 0; uses < 100; uses += 1) {
    await withToken(service, token).call(describeToken);
    versions.add(database.prepare('PRAGMA data_version').get()?.data_version);
  }
  assert.ok(versions.size <= 3, `100 uses made ${versions.size - 1} writes`);
  const { tokens } = await owner.call(listTokens, { params: { project } });
  const { lastUsedAt } = tokens.find(each => each.id === id)!;
  assert.ok(service.clock.now() - Date.parse(lastUsedAt!) < 60_000);
});

test('fixed tokens work from the start, are not listed, and end with their setting', async () => {
  const fixed = {
    TAPEDECK_MEDIA_TOKEN: 'media-token-for-tests',
    TAPEDECK_LOGS_TOKEN: 'logs token'.padEnd(16, '+').replace(' ', '-'),
  };
  await using started = await startQuietService({ environment: fixed });
  for (const [token, kind] of [
    [fixed.TAPEDECK_MEDIA_TOKEN, 'media'],
    [fixed.TAPEDECK_LOGS_TOKEN, 'logs'],
  ] as const) {
    const { data } = await withToken(started, token).call(describeToken);
    assert.deepEqual([data.kind, data.project], [kind, project]);
  }
  const startedOwner = await addPerson(started, { isOwner: true });
  assert.deepEqual((await startedOwner.call(listTokens, { params: { project } })).tokens, []);
  await using without = await startQuietService({ besides: started });
  const refusal = await withToken(without, fixed.TAPEDECK_MEDIA_TOKEN).refuse(describeToken);
  assert.equal(refusal, '401 token_unknown');
});

test('a failing database gives 503, never 401, for unknown tokens; known ones work for 5 minutes', async () => {
  await using failing = await startQuietService();
  const failingOwner = await addPerson(failing, { isOwner: true });
  const { token } = await addToken(failingOwner);
  const known = withToken(failing, token);
  await known.call(describeToken);
  await changeDatabase(failing, 'ALTER TABLE access_revision RENAME TO gone');
  await waitUntil(async () => (await tellDatabase(failing)) === 'failing');
  await known.call(describeToken);
  assert.equal(await withToken(failing, 'x'.repeat(32)).refuse(describeToken), '503 unavailable');
  failing.clock.advance(trustMsMax + 1);
  await waitUntil(async () => (await known.send(describeToken)).status !== 200); // the cached copy is valid for a second
  const answer = await known.send(describeToken);
  assert.ok(Number(answer.headers.get('retry-after')) > 0);
  assert.equal(await describeRefusal(answer), '503 unavailable');
  const notReady = await makeClient(failing).send(getReadiness, { query: { role: 'intake' } });
  assert.match(await notReady.clone().text(), /database/);
  assert.equal(await describeRefusal(notReady), '503 not_ready');
  assert.equal((await failing.fetch('/healthz')).status, 200, 'the process is alive');
  await changeDatabase(failing, 'ALTER TABLE gone RENAME TO access_revision');
  await waitUntil(async () => (await known.send(describeToken)).status === 200);
  assert.equal(await tellDatabase(failing), 'ok');
});

async function tellDatabase(where: TestService): Promise<string | undefined> {
  return (await makeClient(where).call(getReadiness)).checks.database;
}

async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + noticedMsMax; !(await isSo()); await wait(20))
    assert.ok(performance.now() < deadline, 'it is detected');
}

async function assertRefusedSoon(where: TestService, token: string, expected: string): Promise<void> {
  const deadline = performance.now() + revocationMsMax;
  for (;;) {
    const answer = await withToken(where, token).send(describeToken);
    if (answer.status === 200 && performance.now() < deadline) {
      await wait(20);
      continue;
    }
    assert.equal(await describeRefusal(answer), expected);
    return;
  }
}
