/** Errors as issues over HTTP: grouped, counted by affected users, resolved, reopened and ignored. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { listProjectAudit } from '@tapedeck/contract/audit';
import { decideIssue, listIssues } from '@tapedeck/contract/issues';
import { ingestLogs } from '@tapedeck/contract/logs';
import { type Client, withToken } from '../support/client.ts';
import { addPerson, addProject, addToken, type Person } from '../support/people.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let owner: Person;
let logs: Client;
const params = { project: 'default' };

type Sent = { level?: string; message: string; resource?: string; player?: string; ageMs?: number };

async function send(...entries: Sent[]): Promise<void> {
  const now = service.clock.now();
  const body = entries.map(({ level = 'error', message, resource = 'bank', player, ageMs = 60_000 }) => ({
    level,
    message,
    resource,
    timestamp: now - ageMs,
    metadata: { ...(player !== undefined && { player: { id: player, name: `Name of ${player}` } }) },
  }));
  await logs.call(ingestLogs, { body: body as never });
}

type Query = {
  state?: 'open' | 'returned' | 'resolved' | 'ignored';
  dataset?: string;
  warnings?: boolean;
  days?: number;
};
const list = async (query: Query = {}) => owner.call(listIssues, { params, query });

async function find(template: string, query: Query = {}) {
  const { issues } = await list(query);
  const found = issues.find(issue => issue.template === template);
  assert.ok(found, `${template} is not among ${issues.map(issue => issue.template)}`);
  return found;
}

async function decide(pattern: string, state: 'open' | 'resolved' | 'ignored') {
  const decided = await owner.call(decideIssue, { params: { ...params, pattern }, body: { state } });
  service.clock.advance(1_000); // entries from here on are later
  return decided;
}

before(async () => {
  service = await startTestService();
  owner = await addPerson(service, { isOwner: true });
  logs = withToken(service, (await addToken(owner, { kind: 'logs' })).token);
  await send(
    { message: 'Transfer 17 failed', player: 'a', ageMs: 3 * 86_400_000 },
    { message: 'Transfer 18 failed', player: 'a' },
    { message: 'Transfer 19 failed', player: 'b', resource: 'shop' },
    { message: 'Cannot load the map', resource: 'maps' },
    { level: 'warn', message: 'Slow query of 300 ms', player: 'c' },
    { level: 'info', message: 'All is well', player: 'd' },
    { message: 'Out of memory', ageMs: 20 * 86_400_000 },
  );
});
after(() => service[Symbol.asyncDispose]());

describe('issues', () => {
  it('are the errors of a week by pattern, with first and last time, players, resources and a chart', async () => {
    const { issues, timestamps, playerField, total } = await list();
    assert.deepEqual(
      issues.map(({ template, entries, players, resources, state }) => [
        template,
        entries,
        players,
        resources,
        state,
      ]),
      [
        ['Transfer <n> failed', 3, 2, 2, 'open'],
        ['Cannot load the map', 1, 0, 1, 'open'],
      ],
    );
    assert.deepEqual([playerField, total], ['player.id', 2]);
    const [first] = issues;
    const daysBetween = (Date.parse(first!.lastSeenAt) - Date.parse(first!.firstSeenAt)) / 86_400_000;
    assert.ok(daysBetween > 2.9 && daysBetween < 3);
    assert.equal(first!.counts.length, timestamps.length);
    assert.equal(
      first!.counts.reduce((sum, count) => sum + count, 0),
      3,
    );
    assert.equal(first!.levels.error, 3);
  });

  it('include warnings, more days or another dataset on request', async () => {
    assert.equal((await find('Slow query of <n> ms', { warnings: true })).players, 1);
    await find('Out of memory', { days: 30 });
    assert.deepEqual((await list({ dataset: 'elsewhere' })).issues, []);
    const { project } = { project: await addProject(owner, 'elsewhere') };
    const other = await owner.call(listIssues, { params: { project }, query: {} });
    assert.deepEqual([other.issues, other.playerField, other.total], [[], null, 0]);
  });

  it('are resolved, reopen when they recur, and are resolved again', async () => {
    const { pattern } = await find('Transfer <n> failed');
    const { issue } = await decide(pattern, 'resolved');
    assert.deepEqual([issue.state, issue.decidedBy], ['resolved', `user ${owner.email}`]);
    assert.equal((await find('Transfer <n> failed')).state, 'resolved');
    assert.equal(
      (await list({ state: 'open' })).issues.some(one => one.pattern === pattern),
      false,
    );
    await send({ message: 'Transfer 20 failed', player: 'e', ageMs: 0 });
    const returned = await find('Transfer <n> failed', { state: 'returned' });
    assert.deepEqual([returned.entries, returned.players, returned.decidedAt], [4, 3, issue.decidedAt]);
    const { entries } = await owner.call(listProjectAudit, { params });
    const audited = entries.find(({ action }) => action === 'issue.resolved');
    assert.deepEqual([audited?.target, audited?.details], [pattern, { pattern: 'Transfer <n> failed' }]);
  });

  it('are ignored, even when they recur, and reopened', async () => {
    const { pattern } = await find('Cannot load the map');
    await decide(pattern, 'ignored');
    await send({ message: 'Cannot load the map', ageMs: 0 });
    assert.equal((await find('Cannot load the map')).state, 'ignored');
    const { issue } = await decide(pattern, 'open');
    assert.deepEqual([issue.state, issue.decidedAt, issue.decidedBy], ['open', null, null]);
    assert.equal((await find('Cannot load the map')).state, 'open');
  });
});

describe('rejects a change of an issue', () => {
  it('by viewers, with an invalid pattern or one without errors, and with an invalid state', async () => {
    const viewer = await addPerson(service, { roles: { default: 'viewer' } });
    const { pattern } = await find('Cannot load the map');
    const request = (person: Person, asked: string, state: string) =>
      person.refuse(decideIssue, { params: { ...params, pattern: asked }, body: { state: state as 'open' } });
    assert.equal(await request(viewer, pattern, 'resolved'), '403 role_missing');
    assert.equal((await viewer.call(listIssues, { params, query: {} })).issues.length > 0, true);
    assert.equal(await request(owner, '0'.repeat(16), 'resolved'), '404 not_found');
    assert.equal(await request(owner, 'none', 'resolved'), '404 not_found');
    assert.equal(await request(owner, pattern, 'returned'), '400 invalid_field');
    const query = { days: 91 };
    assert.equal(await owner.refuse(listIssues, { params, query }), '400 invalid_field');
  });
});
