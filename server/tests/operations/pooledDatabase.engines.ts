/** PostgreSQL behind PgBouncer in transaction mode, which lends a server connection for one transaction at a time. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { createToken, describeToken, listTokens } from '@tapedeck/contract/tokens';
import { startPgBouncer } from '../../../scripts/engines/pgbouncer.ts';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { withToken } from '../support/client.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';

await using opened = new AsyncDisposableStack();
const postgres = opened.use(await startPostgres());
const pooler = opened.use(await startPgBouncer(postgres));
const url = pooler.urlOf('postgres');
const environment = { TAPEDECK_DATABASE_URL: url, TAPEDECK_SECRET: 's'.repeat(40) };
const first = opened.use(await startTestService({ environment }));
const second = opened.use(await startTestService({ environment }));
const running = opened.move();
after(() => running.disposeAsync());

test('two nodes start, and do many things concurrently', async () => {
  const owner = await addPerson(first, { isOwner: true });
  const project = await addProject(owner, 'arena');
  const params = { project };
  const names = Array.from({ length: 60 }, (_, index) => `token ${index}`);
  await Promise.all(
    names.map(async name => {
      const { token } = await owner.call(createToken, { params, body: { kind: 'media', name } });
      await withToken(second, token).call(describeToken);
    }),
  );
  const { tokens } = await owner.call(listTokens, { params });
  assert.deepEqual(tokens.map(({ name }) => name).toSorted(), names.toSorted());
});

test('commands work, too, including a backup', async () => {
  const { token } = await addToken(await addPerson(first, { isOwner: true }));
  assert.equal((await withToken(second, token).call(describeToken)).data.kind, 'media');
  assert.match(await tapedeck(['token', 'list'], environment), /media/);
  await using place = await makeDirectory();
  const there = { ...environment, TAPEDECK_DATA_DIR: first.dataDir };
  const said = await tapedeck(['backup', path.join(place.path, 'backup')], there);
  assert.match(said, /It does not include the secret: keep the value of TAPEDECK_SECRET somewhere else/);
  assert.doesNotMatch(said, /\d secrets/);
});

test('rejects a node with another secret, or without one', async () => {
  const refused = async (secret: Record<string, string>, message: RegExp) =>
    assert.rejects(startTestService({ environment: { TAPEDECK_DATABASE_URL: url, ...secret } }), { message });
  await refused({}, /needs TAPEDECK_SECRET: at least \d+ random characters, the same on every node/);
  await refused({ TAPEDECK_SECRET: 't'.repeat(40) }, /^TAPEDECK_SECRET differs from that of the other nodes/);
  const changed = { ...environment, TAPEDECK_SECRET: 't'.repeat(40) };
  const looked = JSON.parse(await tapedeck(['adopt', '--dry-run', '--json'], changed)) as {
    secretChanged: boolean;
  };
  assert.equal(looked.secretChanged, true);
  await using _same = await startTestService({ environment });
  await tapedeck(['adopt'], changed);
  await using _other = await startTestService({ environment: changed });
  await refused({ TAPEDECK_SECRET: 's'.repeat(40) }, /differs from that/);
});
