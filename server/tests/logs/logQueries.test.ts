/** Every search parameter over HTTP: what it finds, what it refuses, and how pages connect. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { queryLogs } from '@tapedeck/contract/logs';
import type { ResponseOf } from '@tapedeck/contract/route';
import { findPattern } from '@tapedeck/log-patterns';
import { describeRefusal } from '../support/client.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { openLogClient } from '../support/logSender.ts';
import { addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { owner, get, store } = await openLogClient(service);
const baseMs = Date.now() - 3_600_000;

/** Returns the time of the n-th second in the table of entries. */
function at(seconds: number): string {
  return new Date(baseMs + seconds * 1000).toISOString();
}

const entries = [
  {
    level: 'info',
    message: 'Ärger 100% sure',
    resource: 'shop',
    metadata: { player: { name: 'Ann' }, n: 1 },
  },
  { level: 'warn', message: 'a_b and a%b', resource: 'shop', metadata: { player: { name: 'Ben' }, n: 12.5 } },
  {
    level: 'error',
    message: 'He said "it is  over" now',
    resource: 'db',
    metadata: { items: [{ id: 'x' }] },
  },
  { level: 'debug', message: '', metadata: { flag: true, empty: null } },
  { level: 'info', message: "it's; DROP TABLE logs; --", resource: "o'neil", metadata: { "k'": '"q"\\' } },
  { level: 'info', message: 'axb', resource: 'shop', metadata: { player: { name: 'ann' } }, parentId: 'p1' },
].map((entry, index) => ({ ...entry, timestamp: at(index) }));

async function search(
  query: string,
  headers?: Record<string, string>,
): Promise<ResponseOf<typeof queryLogs>> {
  return readAs(queryLogs.answer, await get(query, headers));
}

await store(entries, 'play');
await store([{ level: 'info', message: 'elsewhere' }], 'default');
const bodies = entries.map(({ message }) => message);
const encode = encodeURIComponent;

describe('finds', () => {
  const rows: readonly [title: string, query: string, found: readonly number[]][] = [
    ['everything', '', [0, 1, 2, 3, 4, 5]],
    ['one level', 'level=info', [0, 4, 5]],
    ['several levels', 'level=warn,error', [1, 2]],
    ['levels with spaces', 'level=warn,%20debug', [1, 3]],
    ['a resource', 'resource=shop', [0, 1, 5]],
    ['no part of a resource', 'resource=sho', []],
    ['an empty resource, which counts as none', 'resource=', [0, 1, 2, 3, 4, 5]],
    ['a resource with a quote', `resource=${encode("o'neil")}`, [4]],
    ['a word in other letter case', `body=${encode('äRGER')}`, [0]],
    ['a part of a word', 'body=rge', [0]],
    ['all of several terms', `body=${encode('a_b a%b')}`, [1]],
    ['nothing for terms that do not all occur', `body=${encode('a_b over')}`, []],
    ['a literal underscore', 'body=a_b', [1]],
    ['a literal percent sign', 'body=100%25', [0]],
    ['a percent sign between letters', `body=${encode('a%b')}`, [1]],
    ['a quoted phrase', `body=${encode('"it is  over"')}`, [2]],
    ['nothing for a quoted phrase that does not occur', `body=${encode('"it is over"')}`, []],
    ['the words of that phrase without quotes', `body=${encode('it is over')}`, [2]],
    ['an unclosed quote', `body=${encode('"is  over')}`, [2]],
    ['spaces, which are ignored', 'body=%20%20', [0, 1, 2, 3, 4, 5]],
    ['empty quotes, which are ignored', `body=${encode('""')}`, [0, 1, 2, 3, 4, 5]],
    ['SQL, which is literal text', `body=${encode("'; DROP TABLE logs; --")}`, []],
    ['SQL that occurs', `body=${encode('DROP TABLE')}`, [4]],
    ['a backslash', `body=${encode('\\')}`, []],
    ['a NUL', 'body=%00', []],
    ['words of values by q', 'q=ann', [0, 5]],
    ['terms of q over body and values', `q=${encode('ärger ann')}`, [0]],
    ['no values by body', 'body=ann', []],
    ['a path of metadata', 'metadata.player.name=Ann', [0]],
    ['a number as text', 'metadata.n=12.5', [1]],
    ['a boolean as text', 'metadata.flag=true', [3]],
    ['null as text', 'metadata.empty=null', [3]],
    ['an element of an array', 'metadata.items.0.id=x', [2]],
    ['several paths', 'metadata.player.name=Ann&metadata.n=1', [0]],
    ['a path twice with one value', 'metadata.n=1&metadata.n=1', [0]],
    ['nothing for a path twice with two values', 'metadata.n=1&metadata.n=12.5', []],
    ['nothing for an absent path', 'metadata.absent=', []],
    ['a path with a quote', `metadata.${encode("k'")}=${encode('"q"\\')}`, [4]],
    ['a path that is SQL', `metadata.${encode("n'] OR 1=1 --")}=1`, []],
    ['a parentId', 'parentId=p1', [5]],
    ['from, inclusive', `from=${at(4)}`, [4, 5]],
    ['to, inclusive', `to=${at(1)}`, [0, 1]],
    ['from between two microseconds', `from=${at(4).replace('Z', '001Z')}`, [5]],
    ['to between two microseconds', `to=${at(1).replace('Z', '999Z')}`, [0, 1]],
    ['from and to', `from=${at(1)}&to=${at(2)}`, [1, 2]],
    ['from with another offset', `from=${encode(at(4).replace('Z', '+00:00'))}`, [4, 5]],
    ['from with an unencoded plus', `from=${at(4).replace('Z', '+00:00')}`, [4, 5]],
    ['from after to', `from=${at(3)}&to=${at(2)}`, []],
    ['a time long past', 'from=0001-01-01T00:00:00Z&to=1960-01-01T00:00:00Z', []],
    ['the end of time', 'to=9999-12-31T23:59:59.999999Z', [0, 1, 2, 3, 4, 5]],
    ['everything with unknown keys', 'metadata=1&foo=bar&__proto__=1', [0, 1, 2, 3, 4, 5]],
  ];
  for (const [title, query, found] of rows) {
    it(title, async () => {
      const answer = await search(`?dataset=play&order=asc&includeTotal=true&${query}`);
      assert.deepEqual(
        answer.data.map(({ body }) => body),
        found.map(index => bodies[index]),
      );
      assert.deepEqual(answer.pagination, {
        hasMore: false,
        limit: 50,
        offset: 0,
        total: found.length,
        nextCursor: null,
      });
    });
  }
});

describe('returns 400 for', () => {
  const rows: readonly [title: string, query: string][] = [
    ['a limit of zero', 'limit=0'],
    ['a negative limit', 'limit=-1'],
    ['a limit that is not a number', 'limit=ten'],
    ['a limit that is not an integer', 'limit=1.5'],
    ['an empty limit', 'limit='],
    ['a negative offset', 'offset=-1'],
    ['an offset that is not a number', 'offset=0x10'],
    ['an unknown level', 'level=fatal'],
    ['a level in capitals', 'level=INFO'],
    ['a level and an empty one', 'level=info,'],
    ['repeated single parameters', 'resource=shop&resource=db'],
    ['an unknown order', 'order=random()'],
    ['an invalid includeTotal', 'includeTotal=yes'],
    ['from in words', 'from=yesterday'],
    ['an empty from', 'from='],
    ['a date as to', 'to=2026-01-02'],
    ['to on 30 February', 'to=2026-02-30T00:00:00Z'],
    ['SQL as a time', `from=${encode('now() - INTERVAL 1 DAY; DROP TABLE logs')}`],
    ['SQL as a limit', `limit=${encode('1; DROP TABLE logs')}`],
    ['a dataset with a space', 'dataset=a%20b'],
    ['a dataset that is SQL', `dataset=${encode("default' OR '1'='1")}`],
    ['a dataset of 65 characters', `dataset=${'d'.repeat(65)}`],
    ['an invalid cursor', 'cursor=nonsense'],
    ['an empty cursor', 'cursor='],
    ['a cursor with SQL', `cursor=${encode("' OR 1=1 --")}`],
    ['65 conditions on metadata', Array.from({ length: 65 }, (_, index) => `metadata.a${index}=1`).join('&')],
  ];
  for (const [title, query] of rows) {
    it(title, async () => assert.match(await describeRefusal(await get(`?${query}`)), /^400 /));
  }

  it('a modified cursor, at any character', async () => {
    const { nextCursor } = (await search('?dataset=play&limit=2')).pagination;
    for (let position = 0; position < nextCursor!.length; position += 3) {
      const other = nextCursor![position] === 'A' ? 'B' : 'A';
      const tampered = `${nextCursor!.slice(0, position)}${other}${nextCursor!.slice(position + 1)}`;
      assert.equal(await describeRefusal(await get(`?cursor=${tampered}`)), '400 cursor_invalid');
    }
  });

  it('a cursor with an offset', async () => {
    const { nextCursor } = (await search('?dataset=play&limit=2')).pagination;
    assert.match(await describeRefusal(await get(`?dataset=play&cursor=${nextCursor}&offset=0`)), /^400 /);
  });
});

describe('datasets', () => {
  const places: readonly [string, string, Record<string, string>, number][] = [
    ['none means default', '', {}, 1],
    ['the header', '', { 'x-service-dataset': 'play' }, 6],
    ['a header of the field', '', { 'x-tape-dataset': 'play' }, 6],
    ['the canonical header before another', '', { 'x-a-dataset': 'default', 'x-service-dataset': 'play' }, 6],
    ['the query before the header', '?dataset=default', { 'x-service-dataset': 'play' }, 1],
    ['all of the project', '?dataset=*', {}, 7],
    ['an unknown one', '?dataset=nothing-here', {}, 0],
  ];
  for (const [title, query, headers, count] of places) {
    it(title, async () => assert.equal((await search(query, headers)).data.length, count));
  }

  it('of another project are not visible to any query', async () => {
    const other = await addToken(owner, { kind: 'logs', project: await addProject(owner, 'other') });
    await store([{ level: 'info', message: 'theirs' }], 'play', { authorization: other.token });
    const theirs = await search('?dataset=*', { authorization: other.token });
    assert.deepEqual(
      theirs.data.map(({ body }) => body),
      ['theirs'],
    );
    assert.equal((await search('?dataset=*&body=theirs')).data.length, 0);
    const { nextCursor } = (await search('?dataset=play&limit=1')).pagination;
    const withCursor = await search(`?dataset=*&cursor=${nextCursor}`, { authorization: other.token });
    assert.ok(withCursor.data.every(({ body }) => body === 'theirs'));
  });
});

describe('pages', () => {
  const all = Array.from({ length: 230 }, (_, index) => `page ${index}`);

  it('are cached for the tests below', () =>
    store(
      all.map((message, index) => ({ level: 'info', message, timestamp: at(Math.floor(index / 7)) })),
      'pages',
    ));

  const sizes: readonly [query: string, limit: number, count: number, hasMore: boolean][] = [
    ['', 50, 50, true],
    ['limit=1', 1, 1, true],
    ['limit=100', 100, 100, true],
    ['limit=1000', 100, 100, true],
    ['limit=99999999999999999999', 100, 100, true],
    ['limit=100&offset=130', 100, 100, false],
    ['limit=100&offset=129', 100, 100, true],
    ['limit=100&offset=229', 100, 1, false],
    ['limit=100&offset=230', 100, 0, false],
    ['offset=1000000', 50, 0, false],
    ['offset=99999999999999999999', 50, 0, false],
  ];
  for (const [query, limit, count, hasMore] of sizes) {
    it(`${query || 'by default'}: ${count} of ${limit}`, async () => {
      const { data, pagination } = await search(`?dataset=pages&${query}`);
      assert.deepEqual([pagination.limit, data.length, pagination.hasMore], [limit, count, hasMore]);
      assert.equal(pagination.nextCursor !== null, hasMore);
      assert.equal(pagination.total, 0);
    });
  }

  it('total is exact on every page, by cursor too', async () => {
    const first = await search('?dataset=pages&limit=100&includeTotal=TRUE');
    const next = await search(
      `?dataset=pages&limit=100&includeTotal=true&cursor=${first.pagination.nextCursor}`,
    );
    assert.deepEqual([first.pagination.total, next.pagination.total], [230, 230]);
  });

  it('descending is ascending reversed, even for entries of the same time', async () => {
    const read = async (order: string) => {
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await search(`?dataset=pages&limit=37&order=${order}${cursor && `&cursor=${cursor}`}`);
        found.push(...page.data.map(({ traceId }) => traceId));
        cursor = page.pagination.nextCursor;
      }
      return found;
    };
    const [up, down] = [await read('asc'), await read('DESC')];
    assert.equal(new Set(up).size, all.length);
    assert.deepEqual(up, up.toSorted());
    assert.deepEqual(down, up.toReversed());
  });

  it('by cursor contain each entry once while others arrive', async () => {
    const seen: string[] = [];
    let arrivals = 0;
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await search(`?dataset=pages&limit=23${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.data.map(({ body }) => body));
      cursor = page.pagination.nextCursor;
      await store([{ level: 'info', message: `new ${++arrivals}` }], 'pages');
    }
    assert.deepEqual(seen.toSorted(), all.toSorted());
  });

  it('acknowledged entries are found by the next query', async () => {
    for (let number = 0; number < 10; number++) {
      await store([{ level: 'info', message: `mine ${number}` }], 'own');
      assert.equal((await search('?dataset=own&limit=1')).data[0]?.body, `mine ${number}`);
    }
  });
});

it('an entry is returned with all of its fields, absent ones empty', async () => {
  const { data } = await search('?dataset=play&level=debug');
  const { traceId, ...shown } = data[0]!;
  assert.match(traceId, /^[0-9a-f]{12}7[0-9a-f]{19}$/);
  assert.deepEqual(shown, {
    parentId: '',
    timestamp: at(3).replace('Z', '000Z'),
    dataset: 'play',
    level: 'debug',
    resource: '',
    body: '',
    pattern: findPattern('').pattern,
    metadata: { flag: 'true', empty: 'null' },
  });
});
