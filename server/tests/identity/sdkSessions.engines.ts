/** Reporting sessions of several services that share one PostgreSQL. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { extendSession, invalidateSession, reportSession } from '@tapedeck/contract/sdk';
import { revokeToken } from '@tapedeck/contract/tokens';
import { newId } from '@tapedeck/values/random-ids';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { withToken } from '../support/client.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService, type TestService } from '../support/service.ts';

const postgres = await startPostgres();
const environment = { TAPEDECK_DATABASE_URL: postgres.urlOf('postgres'), TAPEDECK_SECRET: 's'.repeat(40) };
const first = await startTestService({ environment });
const second = await startTestService({ environment });
after(async () => {
  for (const opened of [first, second, postgres]) await opened[Symbol.asyncDispose]();
});
const owner = await addPerson(first, { isOwner: true });

function makeServer() {
  return { sdkType: 'server_b', universeId: newId(), jobId: newId() };
}

/** Whether the service refuses the token within a second. */
async function endsWithin(service: TestService, token: string): Promise<boolean> {
  const deadline = performance.now() + 1000;
  const session = withToken(service, token);
  while ((await session.send(extendSession)).status === 200) {
    if (performance.now() > deadline) return false;
    await wait(50);
  }
  return true;
}

it('concurrent reports to both nodes open one session', async () => {
  const { token } = await addToken(owner, { kind: 'logs' });
  for (let round = 0; round < 5; round++) {
    const query = makeServer();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        withToken(index % 2 === 0 ? first : second, token).call(reportSession, { query }),
      ),
    );
    assert.equal(new Set(answers.map(answer => answer.token)).size, 1);
    assert.equal(answers.filter(({ message }) => message === 'SDK token created').length, 1);
  }
});

it('one node keeps a session of the other alive', async () => {
  const { token } = await addToken(owner, { kind: 'logs' });
  const session = await withToken(first, token).call(reportSession, { query: makeServer() });
  assert.equal((await withToken(second, session.token).call(extendSession)).status, 'ok');
});

it('shares a session that another token has just reported at the other node', async () => {
  const query = makeServer();
  const theirs = await addToken(owner, { kind: 'logs' });
  const own = await addToken(owner, { kind: 'media' });
  await withToken(second, own.token).call(reportSession, { query: makeServer() }); // its cached copy is as old as possible
  const late = await addToken(owner, { kind: 'logs' });
  const session = await withToken(first, late.token).call(reportSession, { query });
  const again = await withToken(second, own.token).call(reportSession, { query });
  assert.equal(again.token, session.token);
  await withToken(second, theirs.token).call(extendSession, { query });
});

it('a session that ends on one node ends on the other within a second', async () => {
  const { token } = await addToken(owner, { kind: 'logs' });
  const session = await withToken(first, token).call(reportSession, { query: makeServer() });
  await withToken(second, session.token).call(extendSession);
  await withToken(first, session.token).call(invalidateSession);
  assert.ok(await endsWithin(second, session.token));
});

it('a token that is revoked on one node ends its sessions on the other within a second', async () => {
  const { token, id } = await addToken(owner, { kind: 'logs' });
  const session = await withToken(second, token).call(reportSession, { query: makeServer() });
  await withToken(second, session.token).call(extendSession);
  await owner.call(revokeToken, { params: { project: 'default', token: id } });
  assert.ok(await endsWithin(second, session.token));
});
