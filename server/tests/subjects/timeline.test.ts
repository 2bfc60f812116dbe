/** The timeline: log entries and files of a query in one time order, in pages without duplicates and gaps. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { listFiles } from '@tapedeck/contract/files';
import { deleteProjectFile } from '@tapedeck/contract/projectFiles';
import { queryProjectLogs } from '@tapedeck/contract/projectLogs';
import type { QueryOf } from '@tapedeck/contract/route';
import { getTimeline } from '@tapedeck/contract/timeline';
import { makeChance } from '@tapedeck/metadata-store/testing/randomFiles';
import { withToken } from '../support/client.ts';
import { openLogClient } from '../support/logSender.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { makeStoppedClock, startTestService } from '../support/service.ts';
import { makePicture, makeSound, mediaEnvironment, mediaToken, uploadFile } from '../support/uploading.ts';

const clock = makeStoppedClock();
const service = await startTestService({ clock, environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const { owner, store } = await openLogClient(service);
const media = withToken(service, mediaToken);
const params = { project: 'default' };
const chance = makeChance(2026);
const picture = await makePicture();
const beganAt = clock.now();

/** Includes uploads of one millisecond, entries of one microsecond, and both at the same moment. */
async function addRows(): Promise<void> {
  const items: object[] = [];
  for (let index = 0; index < 36; index++) {
    clock.advance(chance.below(3));
    const id = chance.pick([7, 43, '43', 'a/b 😀']);
    const metadata = { player: { id }, size: chance.below(9), level: chance.pick(['error', 'fine']) };
    const isSound = chance.below(3) === 0;
    const fields = { filename: `file ${index}`, metadata: JSON.stringify(metadata) };
    const visibility = chance.pick(['public', 'private']);
    await uploadFile(service, isSound ? makeSound() : picture, { ...fields, visibility });
    for (let each = chance.below(5); each > 0; each--) {
      const at = clock.now() - chance.below(4);
      const level = chance.pick(['debug', 'info', 'warn', 'error']);
      const timestamp = new Date(at).toISOString().replace('Z', `${chance.pick(['', '001', '999'])}Z`);
      items.push({ level, message: `entry ${items.length}`, resource: 'shop', timestamp, metadata });
    }
  }
  for (const dataset of ['one', 'two']) await store(items, dataset);
}
await addRows();

type TimelineQuery = QueryOf<typeof getTimeline>;
type Row = Awaited<ReturnType<typeof read>>[number];

async function read(query: TimelineQuery, between: () => Promise<void> = async () => undefined) {
  const { data, pagination } = await owner.call(getTimeline, { params, query });
  const rows = [...data];
  for (let cursor = pagination.nextCursor; cursor !== null; ) {
    await between();
    const next = await owner.call(getTimeline, { params, query: { ...query, cursor } });
    assert.equal(next.pagination.hasMore, next.pagination.nextCursor !== null);
    rows.push(...next.data);
    cursor = next.pagination.nextCursor;
  }
  return rows;
}

const nameRow = (row: Row) => (row.kind === 'file' ? row.id : row.traceId);

/** Merges the lists of both kinds by hand. */
async function mergeByHand({ query, from, to, dataset = '*' }: TimelineQuery): Promise<string[]> {
  const times = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const listed: { name: string; micros: number; rank: number }[] = [];
  const toMicros = (text: string) => Date.parse(text) * 1000 + Number(text.slice(23, -1) || 0);
  for (let offset = 0, hasMore = true; hasMore; offset += 100) {
    const request = { query: query ?? '', dataset, limit: 100, offset, ...times };
    const { data, pagination } = await owner.call(queryProjectLogs, { params, query: request });
    listed.push(...data.map(one => ({ name: one.traceId, micros: toMicros(one.timestamp), rank: 1 })));
    hasMore = pagination.hasMore;
  }
  for (let page = 1, total = 1; (page - 1) * 100 < total; page++) {
    const answer = await media.call(listFiles, { query: { query: query ?? '', limit: 100, page } });
    total = answer.pagination.total;
    for (const { id, createdAt } of answer.data) {
      const micros = toMicros(createdAt);
      const isWithin =
        (from === undefined || toMicros(from) <= micros) && (to === undefined || micros <= toMicros(to));
      if (isWithin) listed.push({ name: id, micros, rank: 0 });
    }
  }
  listed.sort((one, other) => other.micros - one.micros || one.rank - other.rank);
  return listed.map(({ name }) => name);
}

const middle = new Date(beganAt + 15).toISOString();
const later = new Date(beganAt + 35).toISOString();

describe('rows are those of both lists, in one order', () => {
  const rows: readonly TimelineQuery[] = [
    {},
    { limit: 2, from: later },
    { limit: 17 },
    { query: 'player.id:43' },
    { query: 'player.id:"a/b 😀" -level:error', limit: 5 },
    { query: 'level:error' },
    { query: 'size:>5', limit: 20 },
    { query: 'file OR entry', limit: 100 },
    { query: 'type:audio' },
    { query: 'nothing-at-all' },
    { from: middle },
    { to: middle, limit: 11 },
    { from: middle, to: middle },
    { from: middle, to: later, query: 'player.id:(7,43)', limit: 5 },
    { dataset: 'two', limit: 50 },
    { limit: 100_000 },
  ];
  for (const invalid of rows)
    it(JSON.stringify(invalid), async () => {
      const expected = await mergeByHand(invalid);
      assert.deepEqual((await read(invalid)).map(nameRow), expected);
      const counted = await owner.call(getTimeline, { params, query: { ...invalid, includeTotal: 'true' } });
      assert.equal(counted.pagination.total, expected.length);
    });

  it('or of one kind', async () => {
    const whole = await read({});
    for (const kind of ['entry', 'file'] as const) {
      const expected = whole.filter(row => row.kind === kind).map(nameRow);
      assert.deepEqual((await read({ kind, limit: 29 })).map(nameRow), expected, kind);
      assert.ok(expected.length > 10);
    }
  });
});

it('pages contain the rows of the start once, while newer rows arrive', async () => {
  const before = (await read({})).map(nameRow);
  let count = 0;
  const seen = await read({ limit: 23 }, async () => {
    clock.advance(1);
    await uploadFile(service, picture, { filename: `later ${count++}` });
    await store([{ level: 'info', message: 'later' }], 'one');
  });
  assert.ok(count > 4);
  assert.deepEqual(seen.map(nameRow), before);
});

it('files in the trash are not in it', async () => {
  const { id } = await uploadFile(service, picture, { metadata: '{"player":{"id":"gone"}}' });
  assert.equal((await read({ query: 'player.id:gone' })).length, 1);
  await owner.call(deleteProjectFile, { params: { ...params, file: id }, query: { trash: 'true' } });
  assert.deepEqual(await read({ query: 'player.id:gone' }), []);
});

describe('access for', () => {
  const rows = [
    ['a viewer', { default: 'viewer' }, '200'],
    ['a user outside the project', {}, '404 not_found'],
  ] as const;
  for (const [title, roles, expected] of rows)
    it(`${title}: ${expected}`, async () => {
      const person = await addPerson(service, { roles });
      const response = await person.send(getTimeline, { params });
      if (expected === '200') assert.equal(response.status, 200);
      else assert.equal(await person.refuse(getTimeline, { params }), expected);
    });

  it('no token', async () => {
    const { token } = await addToken(owner, { kind: 'admin' });
    assert.match(await withToken(service, token).refuse(getTimeline, { params }), /^403 /);
  });
});

describe('rejects', () => {
  const rows: readonly [TimelineQuery, string][] = [
    [{ query: 'player.id:' }, '400 query_invalid'],
    [{ query: 'level:loud' }, '400 query_invalid'],
    [{ from: 'yesterday' }, '400 invalid_field'],
    [{ to: '' }, '400 invalid_field'],
    [{ dataset: 'a b' }, '400 invalid_field'],
    [{ limit: 0 }, '400 invalid_field'],
    [{ includeTotal: 'perhaps' }, '400 invalid_field'],
    // Wrong on purpose.
    [{ kind: 'both' } as unknown as TimelineQuery, '400 invalid_field'],
    [{ cursor: 'made-up' }, '400 cursor_invalid'],
  ];
  for (const [query, expected] of rows)
    it(JSON.stringify(query), async () => {
      assert.equal(await owner.refuse(getTimeline, { params, query }), expected);
    });

  it('the cursor of another project', async () => {
    const { pagination } = await owner.call(getTimeline, { params, query: { limit: 1 } });
    const project = await addProject(owner, 'other');
    const query = { cursor: pagination.nextCursor ?? '' };
    assert.equal(await owner.refuse(getTimeline, { params: { project }, query }), '400 cursor_invalid');
  });
});
