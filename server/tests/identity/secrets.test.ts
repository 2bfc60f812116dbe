/** Secrets appear only in their one response: not in log lines, metrics, errors or files. */
import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { changePassword, signIn } from '@tapedeck/contract/accounts';
import { listTokens, revokeToken } from '@tapedeck/contract/tokens';
import { routes } from '../../src/http/routes.ts';
import { composePath, makeClient } from '../support/client.ts';
import { addPerson, addToken, password } from '../support/people.ts';
import { talk } from '../support/rawHttp.ts';
import { startQuietService } from '../support/service.ts';

const fixedToken = 'fixed-media-token';
const service = await startQuietService({ environment: { TAPEDECK_MEDIA_TOKEN: fixedToken } });
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });

test('a secret in any input of any route is not repeated in errors, log lines or metrics', async () => {
  const { token: admin } = await addToken(owner, { kind: 'admin' });
  const unknown = 'Unknown0Unknown0Unknown0Unknown0';
  const secrets = [admin, unknown, fixedToken, owner.cookie, password];
  for (const secret of secrets) {
    for (const route of routes) {
      for (const init of ways(route.method, secret)) {
        const params = {
          project: 'default',
          token: secret,
          user: secret,
          session: secret,
          path: secret,
          key: secret,
        };
        const url = composePath(route, { params, query: { apiKey: secret, before: secret, limit: secret } });
        const response = await service.fetch(url, init);
        const text = await response.text();
        if (response.status >= 400)
          assert.ok(!text.includes(secret), `${route.id} repeats ${secret}: ${text}`);
      }
    }
    for (const url of [
      `/${secret}`,
      `/api/v3/${secret}`,
      `/api/webhooks/1/${secret}`,
      `/?apiKey=${secret}`,
    ]) {
      assert.ok(!(await (await service.fetch(url)).text()).includes(secret), url);
    }
    await talk(service.url, [`${secret}\r\n\r\n`]);
  }
  const metrics = await (await service.fetch('/metrics')).text();
  for (const secret of secrets) {
    assert.ok(!metrics.includes(secret), 'no metric contains it');
    assert.ok(!service.logged.some(line => line.includes(secret)), 'no log line contains it');
  }
  // The requests above include deletions; the following tests still need the session.
  assert.equal((await owner.send(listTokens, { params: { project: 'default' } })).status, 200);
});

test('no file of the data directory contains a token, a cookie or a password', async () => {
  const person = await addPerson(service, { isOwner: true });
  const { token, id } = await addToken(person, { name: 'kept' });
  const newPassword = 'a password to look for';
  await person.call(changePassword, { body: { currentPassword: password, newPassword } });
  const signedIn = await makeClient(service).send(signIn, {
    body: { email: person.email, password: newPassword },
  });
  const cookie = /tapedeck_session=(\w+)/.exec(signedIn.headers.get('set-cookie')!)![1]!;
  await person.call(revokeToken, { params: { project: 'default', token: id } });
  const names = await readdir(service.dataDir, { recursive: true });
  for (const name of names) {
    const file = path.join(service.dataDir, name);
    if (!(await stat(file)).isFile()) continue;
    const content = await readFile(file, 'latin1');
    for (const secret of [token, cookie, newPassword, fixedToken]) assert.ok(!content.includes(secret), name);
  }
  assert.equal(
    (await stat(path.join(service.dataDir, 'secret'))).mode & 0o777,
    0o600,
    'its owner can read the secret',
  );
});

/** Places where clients put a credential, and some where they should not. */
function ways(method: string, secret: string): RequestInit[] {
  const json = { 'content-type': 'application/json' };
  const body =
    method === 'GET' || method === 'HEAD'
      ? {}
      : { body: JSON.stringify({ token: secret, name: secret, code: secret, kind: secret }) };
  const broken = method === 'GET' || method === 'HEAD' ? {} : { body: secret };
  return [
    { method, headers: { authorization: secret, ...json }, ...body },
    { method, headers: { authorization: `Bearer ${secret}x`, ...json }, ...broken },
    { method, headers: { cookie: `tapedeck_session=${secret}x`, 'x-api-key': secret } },
    { method, headers: { referer: `http://x/?apiKey=${secret}`, 'user-agent': secret } },
  ];
}
