/** The life of a reporting session: reported, refreshed, kept alive and ended, and what its token allows meanwhile. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { ErrorResponse } from '@tapedeck/contract/route';
import { extendSession, invalidateSession, listSessions, reportSession } from '@tapedeck/contract/sdk';
import { revokeToken } from '@tapedeck/contract/tokens';
import { newId } from '@tapedeck/values/random-ids';
import { withToken } from '../support/client.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { addProject } from '../support/people.ts';
import { makeServer, openReportingClient } from '../support/reporters.ts';
import { makeDirectory, makeTestClock, startTestService, type TestService } from '../support/service.ts';

const lifetimeMs = 30 * 60_000;
const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { owner, addReporter, sendEntry } = await openReportingClient(service);
const params = { project: 'default' };

/** CONTRACT.md, 2: a revocation takes effect within a second. */
async function watchItEnd(token: string): Promise<void> {
  const deadline = performance.now() + 1000;
  let answer = await sendEntry(token);
  while (answer === '200' && performance.now() < deadline) {
    await wait(50);
    answer = await sendEntry(token);
  }
  assert.equal(answer, '401 token_revoked');
}

describe('reporting', () => {
  for (const kind of ['media', 'logs'] as const) {
    it(`opens a session with a ${kind} token`, async () => {
      const reporter = await addReporter({ kind });
      const startedAt = service.clock.now();
      const answer = await reporter.call(reportSession, { query: makeServer() });
      assert.deepEqual(Object.keys(answer).toSorted(), ['expiresAt', 'message', 'token']);
      assert.equal(answer.message, 'SDK token created');
      assert.match(answer.expiresAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      const livesMs = Date.parse(answer.expiresAt) - startedAt;
      assert.ok(livesMs > lifetimeMs - 2000 && livesMs < lifetimeMs + 5000, `${livesMs} ms`);
    });
  }

  it('a second time refreshes the session and keeps its token', async () => {
    const reporter = await addReporter();
    const query = makeServer();
    const first = await reporter.call(reportSession, { query });
    service.clock.advance(60_000);
    const second = await reporter.call(reportSession, { query });
    assert.equal(second.message, 'Existing SDK token refreshed');
    assert.equal(second.token, first.token);
    assert.ok(Date.parse(second.expiresAt) >= Date.parse(first.expiresAt) + 60_000);
  });

  it('with another token of the project refreshes the same session', async () => {
    const query = makeServer();
    const first = await (await addReporter()).call(reportSession, { query });
    const second = await (await addReporter({ kind: 'media' })).call(reportSession, { query });
    assert.equal(second.token, first.token);
  });

  it('ten times concurrently opens one session', async () => {
    const reporter = await addReporter();
    const query = makeServer();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => reporter.call(reportSession, { query })),
    );
    assert.equal(new Set(answers.map(({ token }) => token)).size, 1);
    assert.equal(answers.filter(({ message }) => message === 'SDK token created').length, 1);
  });

  it('distinguishes sessions by project, type and each part of the identity', async () => {
    await addProject(owner, 'other');
    const reporter = await addReporter();
    const outsider = await addReporter({ kind: 'logs', project: 'other' });
    const [a, b] = [newId(), newId()];
    const answers = [
      await reporter.call(reportSession, { query: { sdkType: 'server_a', endpoint: a, resourceName: b } }),
      await reporter.call(reportSession, { query: { sdkType: 'server_a', endpoint: b, resourceName: a } }),
      await reporter.call(reportSession, { query: { sdkType: 'server_b', universeId: a, jobId: b } }),
      await outsider.call(reportSession, { query: { sdkType: 'server_a', endpoint: a, resourceName: b } }),
    ];
    assert.equal(new Set(answers.map(({ token }) => token)).size, answers.length);
  });

  const spellings: readonly [string, Record<string, string>][] = [
    ['type and resource', { type: 'server_a', endpoint: 'e', resource: 'r' }],
    ['fivem', { sdkType: 'fivem', endpoint: 'e', resourceName: 'r' }],
    ['FiveM', { type: 'FiveM', endpoint: 'e', resource: 'r' }],
    ['more than is needed', { sdkType: 'server_a', endpoint: 'e', resourceName: 'r', version: '3' }],
  ];
  for (const [name, query] of spellings) {
    it(`accepts ${name}`, async () => {
      const reporter = await addReporter();
      const canonical = { sdkType: 'server_a', endpoint: 'e', resourceName: 'r' };
      const first = await reporter.call(reportSession, { query: canonical });
      assert.equal((await reporter.call(reportSession, { query })).token, first.token);
    });
  }

  const refusals: readonly [string, Record<string, string>, RegExp][] = [
    ['no type', {}, /sdkType/],
    ['an unknown type', { sdkType: 'server_c' }, /sdkType/],
    ['a type that is an object member', { sdkType: 'constructor', universeId: '1', jobId: '2' }, /sdkType/],
    ['no endpoint', { sdkType: 'server_a', resourceName: 'r' }, /endpoint/],
    ['an empty endpoint', { sdkType: 'server_a', endpoint: '', resourceName: 'r' }, /endpoint/],
    ['no resource', { sdkType: 'server_a', endpoint: 'e' }, /resourceName/],
    ['no universe', { sdkType: 'server_b', jobId: '2' }, /universeId/],
    ['no job', { sdkType: 'server_b', universeId: '1' }, /jobId/],
    ['an overlong name', { sdkType: 'server_b', universeId: '1', jobId: 'x'.repeat(257) }, /jobId/],
  ];
  for (const [name, query, names] of refusals) {
    it(`rejects ${name}, and the error names it`, async () => {
      const reporter = await addReporter();
      const response = await reporter.send(reportSession, { query });
      assert.equal(response.status, 400);
      assert.match((await readAs(ErrorResponse, response)).error, names);
    });
  }
});

describe('a session', () => {
  it('lasts half an hour, and longer with every heartbeat', async () => {
    const { token } = await (await addReporter()).call(reportSession, { query: makeServer() });
    const session = withToken(service, token);
    for (const _ of [1, 2, 3]) {
      service.clock.advance(lifetimeMs - 60_000);
      const { status, expiresAt } = await session.call(extendSession);
      assert.equal(status, 'ok');
      assert.ok(Date.parse(expiresAt) > service.clock.now() + lifetimeMs - 5000);
    }
    assert.equal(await sendEntry(token), '200');
    service.clock.advance(lifetimeMs);
    assert.equal(await sendEntry(token), '401 token_expired');
    assert.equal(await session.refuse(extendSession), '401 token_expired');
  });

  it('that has expired is replaced by the next report', async () => {
    const reporter = await addReporter();
    const query = makeServer();
    const first = await reporter.call(reportSession, { query });
    service.clock.advance(lifetimeMs);
    const second = await reporter.call(reportSession, { query });
    assert.equal(second.message, 'SDK token created');
    assert.notEqual(second.token, first.token);
    assert.equal(await sendEntry(second.token), '200');
  });

  it('is kept alive by an API token of the project that names it', async () => {
    const query = makeServer();
    const { token } = await (await addReporter()).call(reportSession, { query });
    const other = await addReporter({ kind: 'media' });
    service.clock.advance(lifetimeMs - 60_000);
    const { sdkType: _, ...named } = query;
    await other.call(extendSession, { query: named });
    service.clock.advance(lifetimeMs - 60_000);
    assert.equal(await sendEntry(token), '200');
    assert.equal(await other.refuse(extendSession, { query: makeServer() }), '404 not_found');
    assert.equal(await other.refuse(extendSession, { query: { endpoint: 'e' } }), '400 invalid_field');
    assert.equal(await other.refuse(extendSession), '403 wrong_token_kind');
    service.clock.advance(lifetimeMs);
    assert.equal(await other.refuse(extendSession, { query }), '404 not_found');
  });

  it('whose reporter is gone cannot be kept alive', async () => {
    const query = makeServer();
    const reporter = await addReporter();
    await reporter.call(reportSession, { query });
    await owner.call(revokeToken, { params: { ...params, token: reporter.id } });
    assert.equal(await (await addReporter()).refuse(extendSession, { query }), '404 not_found');
  });

  it('is visible to managers of the project', async () => {
    const query = makeServer();
    await (await addReporter()).call(reportSession, { query });
    const { sessions } = await owner.call(listSessions, { params });
    const shown = sessions.find(({ resourceName }) => resourceName === query.resourceName)!;
    assert.equal(shown.endpoint, query.endpoint);
    assert.ok(Date.parse(shown.expiresAt) - Date.parse(shown.refreshedAt) === lifetimeMs);
  });
});

describe('a session ends', () => {
  const ended = 'SDK resource invalidated.';

  it('with its own token, without its identity', async () => {
    const { token } = await (await addReporter()).call(reportSession, { query: makeServer() });
    assert.equal(await sendEntry(token), '200');
    assert.equal(await withToken(service, token).call(invalidateSession), ended);
    assert.equal(await sendEntry(token), '401 token_revoked', 'at once');
  });

  for (const kind of ['logs', 'media'] as const) {
    it(`with a ${kind} token and its identity`, async () => {
      const reporter = await addReporter({ kind });
      const { endpoint, resourceName } = makeServer();
      const { token } = await reporter.call(reportSession, {
        query: { sdkType: 'server_a', endpoint, resourceName },
      });
      assert.equal(await reporter.call(invalidateSession, { query: { endpoint, resourceName } }), ended);
      assert.equal(await sendEntry(token), '401 token_revoked');
    });
  }

  it('by universe and job', async () => {
    const reporter = await addReporter();
    const identity = { universeId: newId(), jobId: newId() };
    const { token } = await reporter.call(reportSession, { query: { type: 'roblox', ...identity } });
    assert.equal(await reporter.call(invalidateSession, { query: identity }), ended);
    assert.equal(await sendEntry(token), '401 token_revoked');
  });

  it('with the same response when there is none', async () => {
    const reporter = await addReporter();
    const { endpoint, resourceName } = makeServer();
    assert.equal(await reporter.call(invalidateSession, { query: { endpoint, resourceName } }), ended);
    const response = await reporter.send(invalidateSession, { query: { endpoint, resourceName } });
    assert.equal(response.headers.get('content-type'), 'application/json');
    assert.equal(await response.text(), `"${ended}"`);
  });

  it('only when the request identifies it', async () => {
    assert.equal(await (await addReporter()).refuse(invalidateSession), '400 invalid_field');
  });

  it('only in its own project', async () => {
    await addProject(owner, 'third');
    const { endpoint, resourceName } = makeServer();
    const query = { sdkType: 'server_a', endpoint, resourceName };
    const { token } = await (await addReporter()).call(reportSession, { query });
    const outsider = await addReporter({ kind: 'logs', project: 'third' });
    assert.equal(await outsider.call(invalidateSession, { query: { endpoint, resourceName } }), ended);
    assert.equal(await sendEntry(token), '200');
  });

  it('within a second of the revocation of a token that reported it', async () => {
    const first = await addReporter();
    const second = await addReporter({ kind: 'media' });
    for (const revoked of [first, second]) {
      const query = makeServer();
      const { token } = await first.call(reportSession, { query });
      await second.call(reportSession, { query });
      assert.equal(await sendEntry(token), '200');
      const other = revoked === first ? second : await addReporter();
      await owner.call(revokeToken, { params: { ...params, token: revoked.id } });
      await watchItEnd(token);
      const next = await other.call(reportSession, { query });
      assert.notEqual(next.token, token);
      assert.equal(await sendEntry(next.token), '200');
      if (revoked === first) Object.assign(first, await addReporter());
    }
  });

  it('with the token that reported it, and the next report opens another', async () => {
    const expiresAt = new Date(service.clock.now() + 60_000).toISOString();
    const query = makeServer();
    const { token } = await (await addReporter({ kind: 'logs', expiresAt })).call(reportSession, { query });
    service.clock.advance(60_000);
    assert.equal(await sendEntry(token), '401 token_revoked');
    const next = await (await addReporter()).call(reportSession, { query });
    assert.equal(await sendEntry(next.token), '200');
  });
});

it('sessions survive a restart', async () => {
  await using directory = await makeDirectory();
  const environment = { TAPEDECK_LOGS_TOKEN: 'a-fixed-logs-token-for-this' };
  const options = { dataDir: directory.path, environment, clock: makeTestClock() };
  const query = makeServer();
  const report = (to: TestService) =>
    withToken(to, environment.TAPEDECK_LOGS_TOKEN).call(reportSession, { query });
  const first = await startTestService(options);
  const { token } = await report(first);
  await first[Symbol.asyncDispose]();
  await using second = await startTestService(options);
  assert.equal(await sendEntry(token, second), '200');
  const again = await report(second);
  assert.deepEqual([again.message, again.token], ['Existing SDK token refreshed', token]);
});
