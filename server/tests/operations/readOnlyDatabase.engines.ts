/** A node's database is read-only, as a replica is: reading continues, and the rest is refused with a reason. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { routes } from '@tapedeck/contract';
import { createToken } from '@tapedeck/contract/tokens';
import pg from 'pg';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { repositoryRoot } from '../../../scripts/repository.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

await using opened = new AsyncDisposableStack();
const postgres = opened.use(await startPostgres());
const environment = { TAPEDECK_DATABASE_URL: postgres.urlOf('postgres'), TAPEDECK_SECRET: 's'.repeat(40) };
const service = opened.use(await startTestService({ environment }));
const owner = await addPerson(service, { isOwner: true });
const logs = await addToken(owner, { kind: 'logs' });
const media = await addToken(owner, { kind: 'media' });
const running = opened.move();
after(() => running.disposeAsync());
const params = { project: 'default' };
const picture = new Uint8Array(await readFile(`${repositoryRoot}/pictures/files.png`));
const noticedMsMax = 30_000;
const sentence = 'The metadata database accepts no changes at the moment. Try again shortly.';

const upload = () =>
  service.fetch('/api/v3/file?filename=a.png', {
    method: 'POST',
    headers: { authorization: media.token, 'content-type': 'image/png' },
    body: picture,
  });

const { data } = (await (await upload()).json()) as { data: { url: string } }; // the contract's shape
const { pathname } = new URL(data.url);

async function sendEntry(message: string, token = logs.token): Promise<number> {
  const response = await service.fetch('/api/v3/logs', {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify([{ level: 'info', message }]),
  });
  await response.arrayBuffer();
  return response.status;
}

async function statusOf(path: string, authorization = ''): Promise<number> {
  const response = await service.fetch(path, { headers: { authorization } });
  await response.arrayBuffer();
  return response.status;
}

/** Retries: on a busy machine work may be late, and is refused then. */
async function until(attempt: () => Promise<unknown>, expected: unknown): Promise<void> {
  const deadline = performance.now() + noticedMsMax;
  for (let found = await attempt(); found !== expected; found = await attempt()) {
    assert.ok(performance.now() < deadline, `${attempt}: ${found}`);
    await wait(100);
  }
}

async function readGauge(): Promise<string | undefined> {
  await statusOf('/readyz'); // checks the database at once
  const text = await (await service.fetch('/metrics')).text();
  return /^tapedeck_store_up\{store="database"\} (.*)$/m.exec(text)?.[1];
}

/** Requires a refusal that says why. */
async function requireRefusal(response: Response): Promise<void> {
  const { error, code } = (await response.json()) as { error: string; code: string }; // CONTRACT.md, 2
  assert.deepEqual([response.status, code, error], [503, 'unavailable', sentence]);
  assert.ok(response.headers.has('retry-after'));
}

async function requireReading(): Promise<void> {
  const refused: string[] = [];
  let answered = 0;
  for (const route of routes) {
    const names = Object.keys(route.params?.properties ?? {});
    if (
      route.method !== 'GET' ||
      !['manager', 'owner', 'user', 'person', 'anyManager'].includes(route.access.by)
    )
      continue;
    if (names.some(name => name !== 'project') || route.answerType !== undefined) continue; // leaves out routes that stream
    const response = await owner.send(route, { params });
    await response.arrayBuffer();
    if (response.ok) answered++;
    else if (response.status >= 500) refused.push(`${route.id}: ${response.status}`);
  }
  assert.deepEqual(refused, []);
  assert.ok(answered > 10, `${answered} routes responded`);
}

/** Allows or forbids changes, as the database's operator would. */
async function allowChanges(isAllowed: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.urlOf('postgres') });
  await client.connect();
  await client.query(`alter system set default_transaction_read_only = ${isAllowed ? 'off' : 'on'}`);
  await client.query('select pg_reload_conf()');
  await client.end();
}

/** `begin` starts it and returns the function that ends it. */
const causes: readonly { name: string; begin: () => Promise<() => Promise<void>> }[] = [
  {
    name: 'is read-only',
    begin: async () => {
      await allowChanges(false);
      return () => allowChanges(true);
    },
  },
  {
    name: 'is a replica',
    begin: async () => {
      await postgres.crash();
      await postgres.restartAsCopy();
      return async () => {
        await postgres.crash();
        await postgres.restart();
      };
    },
  },
];

for (const { name, begin } of causes) {
  describe(`a database that ${name}`, () => {
    it('leaves entries, queries and all reads, fails the rest, and logs one line', async () => {
      service.logged.length = 0;
      const end = await begin();
      await using stack = new AsyncDisposableStack();
      stack.defer(end);
      await until(readGauge, '0');
      await until(() => sendEntry(name), 200);
      await until(() => statusOf('/api/v3/logs?query=copy', logs.token), 200);
      await until(() => statusOf(pathname), 200);
      await until(() => statusOf('/api/v3/file', media.token), 200);
      await until(() => sendEntry(name, 'x'.repeat(32)), 401); // tokens can be read
      await requireReading();
      await requireRefusal(await upload());
      const body = { kind: 'logs', name: 'new' } as const;
      await requireRefusal(await owner.send(createToken, { params, body }));
      for (const role of ['intake', 'query', 'media'])
        await until(() => statusOf(`/readyz?role=${role}`), 200);
      const ready = (await (await service.fetch('/readyz')).json()) as { checks: object; reasons: string[] }; // the contract's shape
      assert.deepEqual(ready.checks, { database: 'failing', blobs: 'ok', logs: 'ok' });
      assert.deepEqual(ready.reasons, [sentence]);

      await stack.disposeAsync();
      await until(readGauge, '1');
      await until(async () => (await upload()).status, 200);
      const lines = service.logged.map(
        line => JSON.parse(line) as { level: number; msg: string; store?: string },
      );
      const warnings = lines.filter(({ level }) => level >= 40);
      assert.deepEqual(
        warnings.map(({ msg }) => msg),
        ['a store is unavailable; the service does what it can without it'],
      );
      assert.equal(lines.filter(({ msg }) => msg === 'the store is back').length, 1);
    });
  });
}
