/** The life of a token: created and shown once, listed without its text, limited, revoked. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { createToken, describeToken, listTokens, revokeToken } from '@tapedeck/contract/tokens';
import type { TokenKind } from '@tapedeck/domain/vocabulary';
import { withToken } from '../support/client.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startQuietService } from '../support/service.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const params = { project: 'default' };

test('a token has 32 characters and is shown only in this response', async () => {
  const made = await owner.call(createToken, { params, body: { kind: 'media', name: 'deploy' } });
  assert.match(made.token, /^[0-9A-Za-z]{32}$/);
  assert.match(made.record.id, /^[0-9A-Za-z]{20}$/);
  const listing = await (await owner.send(listTokens, { params })).text();
  assert.ok(!listing.includes(made.token), 'the list does not contain the token');
  const { tokens } = await owner.call(listTokens, { params });
  const record = tokens.find(({ id }) => id === made.record.id)!;
  assert.deepEqual(record, made.record);
  assert.equal(record.prefix, made.token.slice(0, 4));
  assert.equal(record.createdBy, `user ${owner.email}`);
  assert.deepEqual([record.lastUsedAt, record.expiresAt, record.scopes], [null, null, []]);
});

test('the database has only the hash', async () => {
  const { token } = await addToken(owner);
  const store = await service.openStore();
  await store.write(async records => records.tokens.list(null)); // after this the file or its log has everything
  const files = await Promise.all(
    ['tapedeck.db', 'tapedeck.db-wal'].map(name => readFile(`${service.dataDir}/${name}`, 'latin1')),
  );
  assert.ok(!files.join('').includes(token));
});

test('newer tokens are listed first', async () => {
  await addProject(owner, 'ordered');
  for (const name of ['one', 'two', 'three']) {
    service.clock.advance(1000);
    await addToken(owner, { project: 'ordered', name });
  }
  const { tokens } = await owner.call(listTokens, { params: { project: 'ordered' } });
  assert.deepEqual(
    tokens.map(({ name }) => name),
    ['three', 'two', 'one'],
  );
});

test('a revoked token is rejected at once, no longer listed, and cannot be revoked again', async () => {
  const { token, id } = await addToken(owner);
  await owner.call(revokeToken, { params: { ...params, token: id } });
  assert.equal(await withToken(service, token).refuse(describeToken), '401 token_revoked');
  const { tokens } = await owner.call(listTokens, { params });
  assert.ok(tokens.every(each => each.id !== id));
  assert.equal(await owner.refuse(revokeToken, { params: { ...params, token: id } }), '404 not_found');
});

test('returns 404 for a token of another project', async () => {
  await addProject(owner, 'other');
  const { id } = await addToken(owner, { project: 'other' });
  assert.equal(await owner.refuse(revokeToken, { params: { ...params, token: id } }), '404 not_found');
});

test('an admin token can revoke itself', async () => {
  const { token, id } = await addToken(owner, { kind: 'admin' });
  const itself = withToken(service, token);
  await itself.call(revokeToken, { params: { ...params, token: id } });
  assert.equal(await itself.refuse(describeToken), '401 token_revoked');
});

test('an expiring admin token cannot create a token that expires later, or never', async () => {
  const at = (ms: number) => new Date(service.clock.now() + ms).toISOString();
  const hour = 3_600_000;
  const { token } = await addToken(owner, { kind: 'admin', expiresAt: at(hour) });
  const maker = withToken(service, token);
  for (const kind of ['media', 'logs', 'admin'] as const) {
    const refusals = [{ kind }, { kind, expiresAt: null }, { kind, expiresAt: at(hour + 1) }];
    for (const body of refusals)
      assert.equal(await maker.refuse(createToken, { params, body }), '403 scope_missing');
    for (const ms of [hour, hour - 1])
      await maker.call(createToken, { params, body: { kind, expiresAt: at(ms) } });
  }
  const endless = withToken(service, (await addToken(owner, { kind: 'admin' })).token);
  await endless.call(createToken, { params, body: { kind: 'admin' } });
});

const scopeRows: [TokenKind, string[], number][] = [
  ['media', ['read'], 200],
  ['media', ['read', 'write', 'delete'], 200],
  ['media', ['type:image', 'type:video', 'type:audio'], 200],
  ['media', ['path:clips/new', 'path:/shots/'], 200],
  ['logs', ['write', 'dataset:game', 'dataset:A.b_c-9'], 200],
  ['webhook', ['write', 'path:shots', 'type:image', 'dataset:game'], 200],
  ['admin', ['read'], 200],
  ['media', ['admin'], 400],
  ['media', ['READ'], 400],
  ['media', ['read:'], 400],
  ['media', ['type:text'], 400],
  ['media', ['type:'], 400],
  ['media', ['path:'], 400],
  ['media', ['path:/'], 400],
  ['media', ['path:..'], 400],
  ['media', ['path:a//b'], 400],
  ['media', ['path:base64'], 400],
  ['media', [''], 400],
  ['media', ['dataset:game'], 400],
  ['logs', ['type:image'], 400],
  ['logs', ['path:clips'], 400],
  ['logs', ['dataset:no spaces'], 400],
  ['logs', [`dataset:${'a'.repeat(65)}`], 400],
  ['webhook', ['path:..'], 400],
  ['webhook', ['dataset:no spaces'], 400],
  ['admin', ['dataset:game'], 400],
  ['media', ['__proto__'], 400],
  ['media', ['constructor:x'], 400],
];

for (const [kind, scopes, status] of scopeRows) {
  test(`a ${kind} token ${status === 200 ? 'may' : 'cannot'} be narrowed to [${scopes.join(', ').slice(0, 60)}]`, async () => {
    const response = await owner.send(createToken, { params, body: { kind, scopes } });
    assert.equal(response.status, status, await response.clone().text());
    if (status !== 200) return;
    const { token } = (await response.json()) as { token: string };
    assert.deepEqual((await withToken(service, token).call(describeToken)).data.scopes, scopes);
  });
}

const bodyRows: [string, object, string][] = [
  ['no kind', {}, '400 invalid_field'],
  ['an unknown kind', { kind: 'root' }, '400 invalid_field'],
  ['a kind that is a list', { kind: ['media'] }, '400 invalid_field'],
  ['a name of 101 characters', { kind: 'media', name: 'x'.repeat(101) }, '400 invalid_field'],
  ['a name with NUL', { kind: 'media', name: 'a\0b' }, '400 invalid_field'],
  ['a name that is a number', { kind: 'media', name: 5 }, '400 invalid_field'],
  ['scopes that are text', { kind: 'media', scopes: 'read' }, '400 invalid_field'],
  ['51 scopes', { kind: 'media', scopes: Array(51).fill('read') }, '400 invalid_field'],
  ['an expiry in the past', { kind: 'media', expiresAt: '2020-01-01T00:00:00Z' }, '400 invalid_field'],
  ['an invalid expiry', { kind: 'media', expiresAt: 'tomorrow' }, '400 invalid_field'],
  ['a numeric expiry', { kind: 'media', expiresAt: 4102444800 }, '400 invalid_field'],
  ['an expiry on 30 February', { kind: 'media', expiresAt: '2100-02-30T00:00:00Z' }, '400 invalid_field'],
];

for (const [name, body, expected] of bodyRows) {
  test(`rejects a token with ${name}`, async () => {
    // Wrong on purpose.
    const refusal = await owner.refuse(createToken, { params, body: body as { kind: 'media' } });
    assert.equal(refusal, expected);
  });
}

test('keeps names as typed, in any script', async () => {
  for (const name of [
    'Fjäll 🎞️ مرحبا',
    '',
    ' spaces ',
    '<script>alert(1)</script>',
    "'; DROP TABLE tokens; --",
  ]) {
    const { record } = await owner.call(createToken, { params, body: { kind: 'media', name } });
    assert.equal(record.name, name);
  }
});

test('ignores unknown keys, including those of prototypes', async () => {
  const body =
    '{"kind":"media","hash":"x","project":"other","__proto__":{"kind":"admin"},"constructor":{"prototype":{}}}';
  const response = await service.fetch('/api/manage/projects/default/tokens', {
    method: 'POST',
    headers: { cookie: `tapedeck_session=${owner.cookie}`, 'content-type': 'application/json' },
    body,
  });
  assert.equal(response.status, 200);
  const { record } = (await response.json()) as { record: { kind: string; project: string } };
  assert.deepEqual([record.kind, record.project], ['media', 'default']);
});
