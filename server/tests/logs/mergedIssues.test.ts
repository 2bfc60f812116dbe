/** Errors that differ in words, without metadata that name them: a single issue, counted exactly, and handled as one. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { decideIssue, listIssues } from '@tapedeck/contract/issues';
import * as logs from '@tapedeck/contract/logs';
import { readAs } from '../support/jsonAnswers.ts';
import { openLogClient } from '../support/logSender.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { owner, get, store } = await openLogClient(service);
const params = { project: 'default' };
const words =
  'amber birch cedar delta ember flint grove heath inlet jetty kiosk lemon maple north ocean pearl'.split(
    ' ',
  );
const template = 'Cannot load the model <*> of a car';

type State = 'open' | 'resolved' | 'ignored';

/** An error from one minute ago. */
function fail(word: string, index: number) {
  return {
    level: 'error',
    message: `Cannot load the model ${word} of a car`,
    resource: index % 2 ? 'shop' : 'garage',
    timestamp: service.clock.now() - 60_000,
    metadata: { player: { id: `${index % 5}` } },
  };
}

async function list() {
  return (await owner.call(listIssues, { params, query: {} })).issues;
}

async function findMerged() {
  const found = (await list()).filter(({ merged }) => merged);
  assert.equal(found.length, 1, JSON.stringify(found));
  return found[0]!; // the list is not empty
}

async function decide(state: State, about: { pattern: string; template?: string }) {
  const { pattern, ...more } = about;
  await owner.call(decideIssue, { params: { ...params, pattern }, body: { state, ...more } });
  service.clock.advance(1_000); // entries from here on are later
}

await store(words.map(fail), 'default');

describe('errors that differ in words', () => {
  it('are one issue with the counts of all of them', async () => {
    const [issue, ...others] = await list();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [issue!.template, issue!.variants, issue!.entries, issue!.players, issue!.resources, issue!.state],
      [template, words.length, words.length, 5, 2, 'open'],
    );
    assert.equal(
      issue!.counts.reduce((sum, count) => sum + count, 0),
      words.length,
    );
    const query = encodeURIComponent(`level:error pattern:"${issue!.template}"`);
    const found = await readAs(logs.queryLogs.answer, await get(`?limit=1&includeTotal=true&query=${query}`));
    assert.equal(found.pagination.total, issue!.entries);
  });

  it('are resolved as one, and reopen with a new word', async () => {
    const { pattern } = await findMerged();
    await decide('resolved', { pattern, template });
    assert.equal((await findMerged()).state, 'resolved');
    await store([{ ...fail('quarry', 1), timestamp: service.clock.now() }], 'default');
    const returned = await findMerged();
    assert.deepEqual(
      [returned.pattern, returned.state, returned.variants],
      [pattern, 'returned', words.length + 1],
    );
  });

  it('are ignored and reopened as one', async () => {
    const { pattern } = await findMerged();
    await decide('ignored', { pattern, template });
    assert.equal((await findMerged()).state, 'ignored');
    await decide('open', { pattern, template });
    const { state, decidedAt } = await findMerged();
    assert.deepEqual([state, decidedAt], ['open', null]);
  });

  it('keep the decisions made before they were merged', async () => {
    const { patterns } = await findMerged();
    for (const pattern of patterns) await decide('ignored', { pattern });
    assert.equal((await findMerged()).state, 'ignored');
    await decide('open', { pattern: patterns[0]! });
    assert.equal((await findMerged()).state, 'open', 'one of them is');
  });

  it('can be changed only by their own template', async () => {
    const { pattern } = await findMerged();
    const refuse = (requested: string, body: { state: State; template?: string }) =>
      owner.refuse(decideIssue, { params: { ...params, pattern: requested }, body });
    for (const text of ['Cannot load the model <*> of a boat', 'Cannot load the model amber of a car'])
      assert.equal(await refuse(pattern, { state: 'ignored', template: text }), '404 not_found');
    assert.equal(await refuse('0'.repeat(16), { state: 'ignored', template }), '404 not_found');
    assert.equal(await refuse(pattern, { state: 'ignored' }), '404 not_found');
    assert.equal(await refuse(pattern, { state: 'ignored', template: '' }), '400 invalid_field');
  });
});
