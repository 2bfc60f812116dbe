/** A node's database goes away: work that does not need it continues, the rest is refused, and everything recovers with it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, describe, it, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { listTokens, revokeToken } from '@tapedeck/contract/tokens';
import { trustMsMax } from '@tapedeck/domain/identity/access';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { repositoryRoot } from '../../../scripts/repository.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const postgres = await startPostgres();
const environment = { TAPEDECK_DATABASE_URL: postgres.urlOf('postgres'), TAPEDECK_SECRET: 's'.repeat(40) };
const service = await startTestService({ environment });
after(async () => {
  await service[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});
const owner = await addPerson(service, { isOwner: true });
const logs = await addToken(owner, { kind: 'logs' });
const revoked = await addToken(owner, { kind: 'logs' });
const media = await addToken(owner, { kind: 'media' });
const params = { project: 'default' };
const picture = await readFile(`${repositoryRoot}/pictures/files.png`);
const noticedMsMax = 20_000; // silence counts as absence after five seconds, and the machine may be busy

const uploaded = await upload();
const { data } = (await uploaded.json()) as { data: { url: string } }; // the contract's shape
const { pathname } = new URL(data.url);
assert.equal((await service.fetch(pathname)).status, 200);
await owner.call(revokeToken, { params: { ...params, token: revoked.id } });
let sent = 0;

function upload(): Promise<Response> {
  const headers = { authorization: media.token, 'content-type': 'image/png' };
  return service.fetch('/api/v3/file?filename=a.png', {
    method: 'POST',
    headers,
    body: new Uint8Array(picture),
  });
}

async function sendEntry(token = logs.token, headers: Record<string, string> = {}): Promise<number> {
  const response = await service.fetch('/api/v3/logs', {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json', ...headers },
    body: JSON.stringify([{ level: 'info', message: `outage ${sent}` }]),
  });
  await response.text();
  if (response.status === 200) sent += 1;
  return response.status;
}

async function statusOf(path: string, init?: RequestInit): Promise<number> {
  const response = await service.fetch(path, init);
  await response.arrayBuffer();
  return response.status;
}

/** Reads the state of the database from the metrics. */
async function readGauge(): Promise<string | undefined> {
  const text = await (await service.fetch('/metrics')).text();
  return /^tapedeck_store_up\{store="database"\} (.*)$/m.exec(text)?.[1];
}

async function waitFor(isSo: () => Promise<boolean>, what: string): Promise<void> {
  for (const deadline = performance.now() + noticedMsMax; !(await isSo()); await wait(50))
    assert.ok(performance.now() < deadline, what);
}

const tellsAway = (line: string) =>
  line.includes('"store":"database"') && line.includes('a store is unavailable');
const tellsBack = (line: string) => line.includes('"store":"database"') && line.includes('the store is back');

/** `begin` starts the absence and returns the function that ends it. */
const absences: { name: string; begin: () => Promise<() => Promise<void>> }[] = [
  {
    name: 'refuses connections',
    begin: async () => {
      await postgres.crash();
      return () => postgres.restart();
    },
  },
  {
    name: 'says nothing',
    begin: async () => {
      const thaw = postgres.freeze();
      return async () => thaw();
    },
  },
];

for (const { name, begin } of absences) {
  describe(`a database that ${name}`, () => {
    it('leaves entries and public files, and fails whatever needs it', async () => {
      service.logged.length = 0;
      const end = await begin();
      await waitFor(async () => (await readGauge()) === '0' && (await sendEntry()) === 200, 'it is detected');
      assert.equal(await sendEntry(), 200);
      assert.equal(await statusOf(pathname), 200);
      assert.equal(await sendEntry(revoked.token), 401, 'revoked credentials stay revoked');
      assert.equal(await sendEntry('x'.repeat(32)), 503, 'this token is not cached');
      assert.equal((await upload()).status, 503);
      assert.equal((await owner.send(listTokens, { params })).status, 503);
      for (const [role, expected] of [
        ['?role=intake', 200],
        ['?role=query', 200],
        ['?role=media', 200],
        ['', 200],
      ] as const)
        assert.equal(await statusOf(`/readyz${role}`), expected, role);
      const ready = (await (await service.fetch('/readyz')).json()) as { checks: object; reasons: string[] }; // the contract's shape
      assert.deepEqual(ready.checks, { database: 'failing', blobs: 'ok', logs: 'ok' });
      assert.equal(ready.reasons.length, 1);

      await end();
      await waitFor(async () => (await readGauge()) === '1', 'the recovery is detected');
      assert.equal((await upload()).status, 200);
      const lines = service.logged.filter(line => JSON.parse(line).level >= 40);
      assert.deepEqual(
        lines.filter(line => !tellsAway(line)),
        [],
        'one line for all that needs it',
      );
      assert.deepEqual([lines.length, service.logged.filter(tellsBack).length], [1, 1]);
    });
  });
}

test('rejects known tokens as well after five minutes, and reports it in readiness', async () => {
  await postgres.crash();
  await waitFor(async () => (await sendEntry()) === 200 && (await readGauge()) === '0', 'it is detected');
  service.clock.advance(trustMsMax + 1_000);
  await waitFor(async () => (await sendEntry()) === 503, 'no token is trusted'); // except a cached copy, for a second
  assert.equal(await statusOf('/readyz?role=intake'), 503);
  assert.equal(await statusOf('/readyz?role=media'), 200);
  assert.equal(await statusOf('/readyz'), 200, 'files can still be read');
  assert.equal(await statusOf(pathname), 200);
  await postgres.restart();
  await waitFor(async () => (await sendEntry()) === 200, 'everything recovers');
});

test('finds everything acknowledged in the meantime, once', async () => {
  const find = async () => {
    const response = await service.fetch('/api/v3/logs?query=outage&limit=100', {
      headers: { authorization: logs.token },
    });
    const answer = (await response.json()) as { data?: unknown[] }; // absent from a refusal
    return answer.data?.length;
  };
  await waitFor(async () => (await find()) === sent, `all ${sent} are found`);
});
