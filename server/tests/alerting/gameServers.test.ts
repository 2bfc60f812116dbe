/** Game servers with a live session report their state and run actions that members request; private ones only where allowed. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { listProjectAudit } from '@tapedeck/contract/audit';
import { getServerReport, listSessions, reportSession, runServerAction } from '@tapedeck/contract/sdk';
import { withToken } from '../support/client.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startReceiver } from '../support/receiver.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService({ environment: { TAPEDECK_OUTGOING_PRIVATE: 'true' } });
const guarded = await startTestService();
const game = await startReceiver();
after(async () => {
  await game[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  await guarded[Symbol.asyncDispose]();
});
const endpoint = game.url;
const project = 'default';

async function open(at: typeof service, query: Record<string, string>) {
  const owner = await addPerson(at, { isOwner: true });
  const { token } = await addToken(owner, { kind: 'logs' });
  const reported = await withToken(at, token).call(reportSession, { query });
  const { sessions } = await owner.call(listSessions, { params: { project } });
  return { owner, token: reported.token, session: sessions[0]?.id ?? '' };
}

const { owner, token, session } = await open(service, {
  sdkType: 'server_a',
  endpoint,
  resourceName: 'tape deck',
});
const params = { project, session };

test('requests health and actions with the token of the session', async () => {
  game.plan(
    { status: 200, body: '{"status":"ok","players":7,"list":[1]}' },
    { status: 200, body: '{"actions":[{"id":"heal","title":"Heal","fields":["player"]},{"title":"no id"}]}' },
  );
  const viewer = await addPerson(service, { roles: { default: 'viewer' } });
  const report = await viewer.call(getServerReport, { params });
  const [first, second] = await game.wait(2);
  for (const request of [first, second]) assert.equal(request?.headers.authorization, `Bearer ${token}`);
  assert.equal(report.problem, null);
  // The service asks both at once, so either may come first.
  const shownText = JSON.stringify([report.health, report.actions]);
  assert.match(shownText, /players|heal/);
});

test('runs an action, and records it in the audit log', async () => {
  const before = game.received.length;
  game.plan({ status: 200, body: '{"message":"Healed."}' });
  const body = { fields: { player: '7' } };
  const outcome = await owner.call(runServerAction, { params: { ...params, action: 'heal' }, body });
  assert.deepEqual(outcome, { done: true, message: 'Healed.' });
  assert.deepEqual(JSON.parse(game.received[before]?.body ?? ''), body.fields);
  const { entries } = await owner.call(listProjectAudit, { params: { project } });
  assert.ok(entries.some(({ action, target }) => action === 'session.action' && target === session));
});

describe('reports any other response of a server', () => {
  const rows: [string, { status: number; body: string }, string][] = [
    [
      'an error',
      { status: 409, body: '{"error":"No such player."}' },
      'The server answered 409: No such player.',
    ],
    ['no JSON', { status: 500, body: 'oops' }, 'The server answered 500.'],
  ];
  for (const [name, answer, message] of rows) {
    it(name, async () => {
      game.plan(answer);
      const outcome = await owner.call(runServerAction, { params: { ...params, action: 'heal' }, body: {} });
      assert.deepEqual(outcome, { done: false, message });
    });
  }
});

test('contacts no private address unless the operator allows it', async () => {
  const before = game.received.length;
  const query = { sdkType: 'server_a', endpoint, resourceName: 'tapedeck' };
  const opened = await open(guarded, query);
  const place = { project, session: opened.session };
  const { problem } = await opened.owner.call(getServerReport, { params: place });
  assert.match(problem ?? '', /private/i);
  const outcome = await opened.owner.call(runServerAction, {
    params: { ...place, action: 'heal' },
    body: {},
  });
  assert.equal(outcome.done, false);
  assert.equal(game.received.length, before);
});

describe('rejects', () => {
  it('an unknown session', async () => {
    const unknown = { project, session: 'a'.repeat(20) };
    assert.equal(await owner.refuse(getServerReport, { params: unknown }), '404 not_found');
    const input = { params: { ...unknown, action: 'heal' }, body: {} };
    assert.equal(await owner.refuse(runServerAction, input), '404 not_found');
  });
  it('an action by a viewer', async () => {
    const viewer = await addPerson(service, { roles: { default: 'viewer' } });
    const input = { params: { ...params, action: 'heal' }, body: {} };
    assert.equal(await viewer.refuse(runServerAction, input), '403 role_missing');
  });
  it('a platform whose servers have no address', async () => {
    const other = await open(service, { sdkType: 'server_b', universeId: '1', jobId: '2' });
    const { sessions } = await owner.call(listSessions, { params: { project } });
    const roblox = sessions.find(({ sdkType }) => sdkType === 'server_b')?.id ?? '';
    const place = { project, session: roblox };
    assert.equal(await other.owner.refuse(getServerReport, { params: place }), '404 not_found');
  });
});
