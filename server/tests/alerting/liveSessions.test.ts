/** Managing live sessions: who opened them, how long they live, and how to end the session of a server. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { listProjectAudit } from '@tapedeck/contract/audit';
import {
  endSession,
  extendSession,
  invalidateSession,
  listSessions,
  reportSession,
} from '@tapedeck/contract/sdk';
import { newId } from '@tapedeck/values/random-ids';
import { withToken } from '../support/client.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const fixedToken = 'a-token-that-never-changes';
const service = await startTestService({ environment: { TAPEDECK_LOGS_TOKEN: fixedToken } });
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const member = await addPerson(service, { roles: { default: 'member' } });
const params = { project: 'default' };

async function open(token: string) {
  const query = { sdkType: 'server_b', universeId: '7', jobId: newId() };
  const opened = await withToken(service, token).call(reportSession, { query });
  const { sessions } = await member.call(listSessions, { params });
  return { ...opened, query, shown: sessions.find(({ jobId }) => jobId === query.jobId)! };
}

test('a session lists the tokens that opened it, in order', async () => {
  const first = await addToken(owner, { kind: 'logs', name: 'Server one' });
  const second = await addToken(owner, { kind: 'media', name: '' });
  const { query } = await open(first.token);
  await withToken(service, second.token).call(reportSession, { query });
  const { sessions } = await member.call(listSessions, { params });
  assert.deepEqual(sessions.find(({ jobId }) => jobId === query.jobId)?.openedBy, [
    { prefix: first.token.slice(0, 4), name: 'Server one', kind: 'logs' },
    { prefix: second.token.slice(0, 4), name: '', kind: 'media' },
  ]);
});

test('a session shows that a configured token opened it', async () => {
  const { shown } = await open(fixedToken);
  assert.deepEqual(shown.openedBy, [{ prefix: 'a-to', name: 'from the configuration', kind: 'logs' }]);
});

test('shows a heartbeat', async () => {
  const { token, shown, query } = await open(fixedToken);
  service.clock.advance(60_000);
  await withToken(service, token).call(extendSession);
  const { sessions } = await member.call(listSessions, { params });
  const now = sessions.find(({ jobId }) => jobId === query.jobId)!;
  assert.equal(now.createdAt, shown.createdAt);
  assert.ok(Date.parse(now.refreshedAt) >= Date.parse(shown.refreshedAt) + 60_000);
  assert.ok(now.expiresAt > shown.expiresAt);
});

test('an ended session leaves the list, its token is rejected, and the server can report again', async () => {
  const { token, shown, query } = await open(fixedToken);
  await member.call(endSession, { params: { ...params, session: shown.id } });
  const { sessions } = await member.call(listSessions, { params });
  assert.equal(
    sessions.find(({ id }) => id === shown.id),
    undefined,
  );
  assert.equal(await withToken(service, token).refuse(extendSession), '401 token_revoked');
  const again = await withToken(service, fixedToken).call(reportSession, { query });
  assert.equal(again.message, 'SDK token created');
  assert.notEqual(again.token, token);
  const { entries } = await owner.call(listProjectAudit, { params });
  assert.deepEqual(
    [entries[0]?.action, entries[0]?.target, entries[0]?.actor, entries[0]?.details.jobId],
    ['session.end', shown.id, `user ${member.email}`, query.jobId],
  );
});

test('returns 404 for a session that is not live in the project', async () => {
  await addProject(owner, 'other');
  const { shown } = await open(fixedToken);
  const end = (project: string, session: string) =>
    owner.refuse(endSession, { params: { project, session } });
  assert.equal(await end('other', shown.id), '404 not_found');
  assert.equal(await end('default', newId()), '404 not_found');
  assert.equal(await end('default', 'no-id'), '404 not_found');
  service.clock.advance(31 * 60_000);
  assert.equal(await end('default', shown.id), '404 not_found');
});

test('lists a server that stopped reporting for a day, but not an ended or active one', async () => {
  const [lost, ended, back] = [await open(fixedToken), await open(fixedToken), await open(fixedToken)];
  await withToken(service, ended.token).call(invalidateSession);
  const list = () => member.call(listSessions, { params });
  const ids = (sessions: readonly { id: string }[]) => sessions.map(({ id }) => id);
  assert.ok(!ids((await list()).quiet).includes(lost.shown.id), 'the session is live');
  service.clock.advance(31 * 60_000);
  await withToken(service, fixedToken).call(reportSession, { query: back.query });
  const { quiet, sessions } = await list();
  assert.ok(!ids(sessions).includes(lost.shown.id));
  assert.equal(quiet[0]?.id, lost.shown.id);
  assert.deepEqual(quiet[0]?.openedBy, lost.shown.openedBy);
  for (const { shown } of [ended, back]) assert.ok(!ids(quiet).includes(shown.id));
  service.clock.advance(86_400_000);
  assert.ok(!ids((await list()).quiet).includes(lost.shown.id), 'the session ended yesterday');
});
