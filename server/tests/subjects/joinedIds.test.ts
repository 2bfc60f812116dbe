/** A player's ids appear in one row, whichever the search finds, and never mix with another player's. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { updateProject } from '@tapedeck/contract/projects';
import { getSubject, listSubjects } from '@tapedeck/contract/subjects';
import { openLogClient } from '../support/logSender.ts';
import { startTestService } from '../support/service.ts';
import { makePicture, mediaEnvironment, uploadFile } from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const { owner, store } = await openLogClient(service);
const params = { project: 'default' };
const began = service.clock.now() - 3_600_000;

type Player = { id?: number | string; license?: string; discord?: string; name?: string };
const say = (minute: number, player: Player, more: object = {}) => ({
  level: 'info',
  message: 'said',
  metadata: { player, ...more },
  timestamp: new Date(began + minute * 60_000).toISOString(),
});

const ann = { id: 43, license: 'license:abc', name: 'Ann' };
const bob = { id: 44, license: 'license:bob', name: 'Bob' };
await store(
  [
    say(1, ann),
    say(2, { id: 43, name: 'Ann' }),
    say(3, { ...ann, name: 'Anna' }),
    say(4, { id: 43, name: 'Ann' }), // seen last without its license
    say(5, bob),
    say(5, { id: 45, license: 'license:tim', name: 'Tim' }), // at the same moment as Bob, under another name
    say(6, { id: 46, license: 'license:nameless' }),
    say(7, { id: 47, license: 'license:first', name: 'First' }),
    say(8, { id: 47, license: 'license:second', name: 'Second' }), // the id is given to another player
    say(10, { id: 48, license: 'license:chain', name: 'Chain' }), // its first entry
    say(11, { id: 48, license: 'license:chain', name: 'Chain' }),
    say(12, { id: 48, discord: 'discord:1', name: 'Chain' }), // its last entry
    say(13, { id: 50, name: 'Eve' }, { victim: { id: 51 } }), // two players known from one entry
    say(
      14,
      { id: 52, license: 'license:max', name: 'Max' },
      { victim: { license: 'license:roy', name: 'Roy' } },
    ),
    say(9, { id: '<b>', license: 'license:<i>', name: '<u>' }),
  ],
  'one',
);
await uploadFile(service, await makePicture(), { metadata: JSON.stringify({ player: bob }) });
await owner.call(updateProject, {
  params,
  body: {
    subjects: [
      {
        kind: 'player',
        idPaths: ['player.id', 'player.license', 'player.discord', 'victim.id', 'victim.license'],
        namePaths: ['player.name', 'victim.name'],
      },
    ],
  },
});

async function search(q: string, joinIds: string | undefined = 'true') {
  const { data, pagination } = await owner.call(listSubjects, { params, query: { q, joinIds } });
  return { total: pagination.total, rows: data.map(({ id, otherIds }) => [id, ...(otherIds ?? [])]) };
}

describe('one row', () => {
  const rows: [q: string, expected: string[][]][] = [
    ['43', [['43', 'license:abc']]],
    ['LICENSE:ABC', [['43', 'license:abc']]],
    ['anna', [['43', 'license:abc']]],
    ['bob', [['44', 'license:bob']]],
    ['tim', [['45', 'license:tim']]],
    ['<i>', [['<b>', 'license:<i>']]],
    ['nameless', [['license:nameless']]],
    ['46', [['46']]],
    ['first', [['47'], ['license:first']]],
    ['second', [['47'], ['license:second']]],
    ['discord:1', [['48', 'license:chain', 'discord:1']]],
    ['license:chain', [['48', 'license:chain', 'discord:1']]],
    ['eve', [['50'], ['51']]],
    ['roy', [['52'], ['license:max'], ['license:roy']]],
    ['nobody', []],
  ];
  for (const [q, expected] of rows)
    it(q, async () => {
      const found = await search(q);
      assert.deepEqual(found.rows.toSorted(), expected.toSorted());
      assert.equal(found.total, expected.length);
    });
});

test('a row has the times of all its ids, and each id keeps its page', async () => {
  const { data } = await owner.call(listSubjects, { params, query: { q: 'license:abc', joinIds: 'true' } });
  const [row] = data;
  assert.ok(row);
  assert.deepEqual([row.entries, row.files], [4, 0]);
  const page = (id: string) => owner.call(getSubject, { params: { ...params, kind: 'player', id } });
  const [one, other] = [(await page('43')).data, (await page('license:abc')).data];
  assert.deepEqual([row.firstSeenAt, row.lastSeenAt], [one.firstSeenAt, one.lastSeenAt]);
  assert.deepEqual([one.entries, other.entries], [4, 2]);
});

test('the page of one id lists the others on request', async () => {
  const request = (id: string, query: { joinIds?: string }) =>
    owner.call(getSubject, { params: { ...params, kind: 'player', id }, query });
  assert.deepEqual((await request('48', { joinIds: 'true' })).data.otherIds, ['license:chain', 'discord:1']);
  assert.deepEqual((await request('discord:1', { joinIds: 'true' })).data.otherIds, ['48', 'license:chain']);
  assert.deepEqual((await request('46', { joinIds: 'true' })).data.otherIds, []);
  assert.equal('otherIds' in (await request('48', {})).data, false);
  const perhaps = { params: { ...params, kind: 'player', id: '48' }, query: { joinIds: 'perhaps' } };
  assert.equal(await owner.refuse(getSubject, perhaps), '400 invalid_field');
});

test('pages list all rows once', async () => {
  const whole = await search('');
  const paged: string[] = [];
  let cursor: string | undefined;
  do {
    const query = { joinIds: 'true', limit: 1, ...(cursor !== undefined && { cursor }) };
    const { data, pagination } = await owner.call(listSubjects, { params, query });
    paged.push(...data.map(({ id }) => id));
    assert.equal(pagination.total, whole.total);
    cursor = pagination.nextCursor ?? undefined;
  } while (cursor !== undefined);
  assert.deepEqual(
    paged,
    whole.rows.map(([id]) => id),
  );
});

test('each id has its own row by default, and an invalid flag is rejected', async () => {
  const { data } = await owner.call(listSubjects, { params, query: { q: 'ann' } });
  assert.deepEqual(
    data.map(subject => [subject.id, 'otherIds' in subject]),
    [
      ['43', false],
      ['license:abc', false],
    ],
  );
  assert.equal(
    await owner.refuse(listSubjects, { params, query: { joinIds: 'perhaps' } }),
    '400 invalid_field',
  );
});
