/** A reporting session may do no more than any token that reported it; a weaker token does not get the session. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { extendSession, invalidateSession, listSessions, reportSession } from '@tapedeck/contract/sdk';
import type { TokenKind } from '@tapedeck/domain/vocabulary';
import { summariseAnswer } from '../support/jsonAnswers.ts';
import { makeServer, openReportingClient } from '../support/reporters.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { owner, addReporter } = await openReportingClient(service);

type Wish = readonly [kind: Extract<TokenKind, 'media' | 'logs'>, ...scopes: string[]];

const addOne = ([kind, ...scopes]: Wish) => addReporter({ kind, scopes });

/** Lists which of these datasets the session's token may write to. */
async function listWritable(token: string): Promise<string> {
  const answers: string[] = [];
  for (const dataset of ['default', 'game', 'other']) {
    const response = await service.fetch(`/api/v3/logs?dataset=${dataset}`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: '[{"level":"info","message":"from a session"}]',
    });
    const answer = await summariseAnswer(response);
    if (answer === '200') answers.push(dataset);
    else assert.equal(answer, '403 scope_missing');
  }
  return answers.join(' ');
}

describe('a single session', () => {
  const rows: [Wish, string][] = [
    [['logs'], 'default game other'],
    [['logs', 'write'], 'default game other'],
    [['logs', 'dataset:game'], 'game'],
    [['logs', 'write', 'dataset:game', 'dataset:default'], 'default game'],
    [['media'], 'default game other'],
    [['media', 'read', 'write'], 'default game other'],
    [['media', 'type:image'], 'default'],
    [['media', 'type:image', 'type:video', 'type:audio'], 'default'],
    [['media', 'path:clips'], 'default'],
    [['media', 'write', 'path:clips', 'type:image'], 'default'],
  ];
  for (const [wish, expected] of rows) {
    test(`of a token for ${wish.join(' ')} can write to: ${expected}`, async () => {
      const { token } = await (await addOne(wish)).call(reportSession, { query: makeServer() });
      assert.equal(await listWritable(token), expected);
    });
  }
});

describe('a session that another token reports', () => {
  const less = '403 scope_missing';
  const rows: [first: Wish, second: Wish, outcome: 'joined' | typeof less][] = [
    [['logs'], ['logs'], 'joined'],
    [['logs'], ['media'], 'joined'],
    [['logs'], ['logs', 'write'], 'joined'],
    [['logs'], ['logs', 'read'], less],
    [['logs'], ['logs', 'dataset:game'], less],
    [['logs'], ['logs', 'dataset:default'], less],
    [['logs'], ['media', 'type:image'], less],
    [['logs'], ['media', 'path:clips'], less],
    [['media'], ['logs', 'dataset:game'], less],
    [['media'], ['media', 'type:image'], less],
    [['media'], ['media', 'read'], less],
    [['logs', 'dataset:game'], ['logs'], 'joined'],
    [['logs', 'dataset:game'], ['media'], 'joined'],
    [['logs', 'dataset:game'], ['logs', 'dataset:game'], 'joined'],
    [['logs', 'dataset:game'], ['logs', 'dataset:game', 'dataset:other'], 'joined'],
    [['logs', 'dataset:game'], ['logs', 'dataset:other'], less],
    [['logs', 'dataset:game', 'dataset:other'], ['logs', 'dataset:game'], less],
    [['logs', 'dataset:game'], ['media', 'type:image'], less],
    [['logs', 'dataset:default'], ['media', 'type:image'], 'joined'],
    [['media', 'type:image'], ['media', 'path:clips'], 'joined'],
    [['media', 'type:image'], ['logs', 'dataset:default'], 'joined'],
    [['media', 'type:image'], ['logs', 'dataset:game'], less],
  ];
  for (const [first, second, outcome] of rows) {
    test(`for ${first.join(' ')}, then ${second.join(' ')}: ${outcome}`, async () => {
      const query = makeServer();
      const opened = await (await addOne(first)).call(reportSession, { query });
      const writable = await listWritable(opened.token);
      const shown = await show(query.resourceName);
      const other = await addOne(second);
      if (outcome === 'joined') {
        assert.equal((await other.call(reportSession, { query })).token, opened.token);
        await other.call(extendSession, { query });
        assert.equal((await show(query.resourceName))?.openedBy.length, 2);
      } else {
        for (const route of [reportSession, extendSession, invalidateSession])
          assert.equal(await other.refuse(route, { query }), less, route.id);
        assert.deepEqual(await show(query.resourceName), shown, 'the session is unchanged');
      }
      assert.equal(await listWritable(opened.token), writable);
      if (outcome !== 'joined') return;
      await other.call(invalidateSession, { query });
      assert.equal(await show(query.resourceName), undefined);
    });
  }

  test('gets an error that says what to do, and opens for the second once the first has ended', async () => {
    const query = makeServer();
    const first = await addOne(['logs']);
    await first.call(reportSession, { query });
    const second = await addOne(['logs', 'dataset:game']);
    const refused = await second.send(reportSession, { query });
    assert.match(await refused.text(), /a token that may do more than this one; use that token/);
    await first.call(invalidateSession, { query });
    const { token, message } = await second.call(reportSession, { query });
    assert.equal(message, 'SDK token created');
    assert.equal(await listWritable(token), 'game');
  });
});

async function show(resourceName: string) {
  const { sessions } = await owner.call(listSessions, { params: { project: 'default' } });
  return sessions.find(session => session.resourceName === resourceName);
}
