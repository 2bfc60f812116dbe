/** Fields and values of log entries over HTTP: the same as counting by hand, refusals with a sentence, and only datasets that the token may read. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { listLogFields, listLogValues } from '@tapedeck/contract/logFields';
import { queryLogs } from '@tapedeck/contract/logs';
import { describeRefusal } from '../support/client.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { openLogClient } from '../support/logSender.ts';
import { addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { owner, token, get, store } = await openLogClient(service);
const foreign = await addToken(owner, { kind: 'logs', project: await addProject(owner, 'foreign') });
const narrow = await addToken(owner, { kind: 'logs', scopes: ['read', 'dataset:shown'] });
const baseMs = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 2 * 86_400_000;

function at(seconds: number): string {
  return new Date(baseMs + seconds * 1000).toISOString();
}

// One entry a minute for two hours. The last one's size is not a number; every tenth has no resource.
const minutes = Array.from({ length: 120 }, (_, index) => ({
  level: index % 3 === 0 ? 'error' : 'info',
  message: `minute ${index}`,
  resource: index % 10 === 0 ? '' : `r${index % 3}`,
  metadata: {
    size: index < 119 ? index / 8 : 'large',
    ...(index % 2 > 0 && { player: { id: index % 30, name: index % 4 > 1 ? 'Ünlü' : 'Ulf' } }),
    ...(index < 20 && { level: `deck ${index % 2}`, metadata: { x: '' } }),
  },
  timestamp: at(index * 60),
}));
await store(minutes, 'shown');
await store([{ level: 'warn', message: 'aside', metadata: { aside: true }, timestamp: at(30) }], 'aside');

const { pattern } = (await readAs(queryLogs.answer, await get('?dataset=shown&limit=1'))).data[0]!;

type Field = [name: string, kind: string, entries: number];

async function list(query: string, headers?: Record<string, string>): Promise<Field[]> {
  const { data } = await readAs(listLogFields.answer, await get(`/fields?${query}`, headers));
  return data.map(({ name, kind, entries }) => [name, kind, entries]);
}

async function count(query: string, headers?: Record<string, string>): Promise<[string, number][]> {
  const { data } = await readAs(listLogValues.answer, await get(`/values?${query}`, headers));
  return data.map(({ value, count: entries }) => [value, entries]);
}

describe('fields', () => {
  const all: Field[] = [
    ['level', 'text', 120],
    ['size', 'text', 120],
    ['resource', 'text', 108],
    ['player.id', 'number', 60],
    ['player.name', 'text', 60],
    ['metadata.level', 'text', 20],
    ['metadata.metadata.x', 'text', 20],
  ];
  const rows: readonly [title: string, query: string, expected: Field[]][] = [
    ['of all entries, with reserved ones prefixed', '', all],
    ['of a time range in which a size is a number', `from=${at(600)}&to=${at(7139)}`, [
      ['level', 'text', 109],
      ['size', 'number', 109],
      ['resource', 'text', 98],
      ['player.id', 'number', 54],
      ['player.name', 'text', 54],
      ['metadata.level', 'text', 10],
      ['metadata.metadata.x', 'text', 10],
    ]],
    ['matching a query', 'query=player.id:7', [
      ['level', 'text', 4],
      ['player.id', 'number', 4],
      ['player.name', 'text', 4],
      ['resource', 'text', 4],
      ['size', 'number', 4],
      ['metadata.level', 'text', 1],
      ['metadata.metadata.x', 'text', 1],
    ]],
    ['matching the other parameters', 'resource=r1&level=error', []],
    ['with a prefix', 'prefix=player.', all.slice(3, 5)],
    ['with a prefix in its letter case', 'prefix=Player', []],
    ['with the metadata prefix', 'prefix=metadata.', all.slice(5)],
    ['with an empty prefix', 'prefix=', all],
    ['of nothing', 'body=absent', []],
    ['of an empty time range', `from=${at(5)}&to=${at(4)}`, []],
    ['with an unknown prefix, even SQL', `prefix=${encodeURIComponent("') OR 1 --")}`, []],
  ]; // biome-ignore format: a table
  for (const [title, query, expected] of rows)
    it(title, async () => assert.deepEqual(await list(`dataset=shown&${query}`), expected));

  it("of the token's datasets", async () => {
    const request = async (holder: string) =>
      (await list('dataset=*', { authorization: holder })).map(([name]) => name).includes('aside');
    assert.deepEqual(
      [await request(token), await request(narrow.token), await request(foreign.token)],
      [true, false, false],
    );
    const aside = await get('/fields?dataset=aside', { authorization: narrow.token });
    assert.equal(await describeRefusal(aside), '403 scope_missing');
  });

  it('are at most five hundred, and rare ones do not hide frequent ones', async () => {
    const paths = (index: number) =>
      Object.fromEntries(Array.from({ length: 250 }, (_, path) => [`k${index * 250 + path}`, path]));
    await store(
      Array.from({ length: 40 }, (_, index) => ({
        level: 'info',
        message: 'many',
        metadata: { ...paths(index), frequent: 'x' },
      })),
      'many',
    );
    const found = await list('dataset=many');
    assert.equal(found.length, 500);
    assert.deepEqual(found.slice(0, 3), [
      ['frequent', 'text', 40],
      ['level', 'text', 40],
      ['k0', 'number', 1],
    ]);
    assert.deepEqual(await list('dataset=many&prefix=k9999'), [['k9999', 'number', 1]]);
  });
});

describe('values', () => {
  const byName = (field: (minute: (typeof minutes)[number]) => unknown): [string, number][] =>
    [
      ...Map.groupBy(
        minutes.map(field).filter(value => value !== undefined && value !== ''),
        String,
      ),
    ]
      .map(([value, { length }]): [string, number] => [value, length])
      .sort(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1));
  const ids = byName(({ metadata }) => metadata.player?.id);
  const sizes = byName(({ metadata }) => metadata.size);
  const rows: readonly [title: string, query: string, expected: [string, number][]][] = [
    ['of the level', 'field=level', [['info', 80], ['error', 40]]],
    ['of the resource, without an empty one', 'field=resource', byName(({ resource }) => resource)],
    ['of the dataset', 'field=dataset', [['shown', 120]]],
    ['of the pattern', 'field=pattern', [[pattern, 120]]],
    ['of a path', 'field=player.id', ids],
    ['of a path with its prefix', 'field=metadata.player.id', ids],
    ['of a path with a reserved name', 'field=metadata.level', [['deck 0', 10], ['deck 1', 10]]],
    ['that are empty', 'field=metadata.metadata.x', [['', 20]]],
    ['twenty of them', 'field=size', sizes.slice(0, 20)],
    ['as many as requested', 'field=size&limit=7', sizes.slice(0, 7)],
    ['of the resource, as many as requested', 'field=resource&limit=1', byName(({ resource }) => resource).slice(0, 1)],
    ['at most a hundred', 'field=size&limit=1000', sizes.slice(0, 100)],
    ['with a prefix', 'field=size&prefix=14.', sizes.filter(([value]) => value.startsWith('14.'))],
    ['with a prefix in other letter case', 'field=player.name&prefix=%C3%BCN', [['Ünlü', 30]]],
    ['with a literal prefix', 'field=player.name&prefix=%25', []],
    ['matching a query', 'field=player.name&query=player.id:(1,3)', [['Ulf', 4], ['Ünlü', 4]]],
    ['of matches', 'field=level&level=error', [['error', 40]]],
    ['of a time range', `field=level&from=${at(0)}&to=${at(119)}`, [['error', 1], ['info', 1]]],
    ['of an unknown path', 'field=absent', []],
    ['of a path that is SQL', `field=${encodeURIComponent("a'] FROM system.tables --")}`, []],
  ]; // biome-ignore format: a table
  for (const [title, query, expected] of rows)
    it(title, async () => assert.deepEqual(await count(`dataset=shown&${query}`), expected));

  it("of the token's datasets", async () => {
    const request = (holder: string) => count('dataset=*&field=dataset', { authorization: holder });
    assert.ok((await request(token)).some(([name]) => name === 'aside'));
    assert.deepEqual(await request(narrow.token), [['shown', 120]]);
    assert.deepEqual(await request(foreign.token), []);
  });

  const refusals: readonly [query: string, field: string, sentence: RegExp][] = [
    ['', 'field', /field/],
    ['field=', 'field', /^field must be level, resource, dataset, pattern, or a path of metadata\.$/],
    ['field=body', 'field', /^field must be/],
    ['field=message', 'field', /^field must be/],
    ['field=traceId', 'field', /^field must be/],
    ['field=parentId', 'field', /^field must be/],
    ['field=level&limit=0', 'limit', /limit/],
    ['field=level&limit=-1', 'limit', /limit/],
    ['field=level&limit=1.5', 'limit', /limit/],
    ['field=level&limit=many', 'limit', /limit/],
    ['field=level&level=loud', 'level', /^level must be/],
    ['field=level&dataset=a%20b', 'dataset', /^dataset must be/],
    ['field=level&from=soon', 'from', /^from must be/],
  ];
  for (const [query, field, sentence] of refusals) {
    it(`reject ${query || 'nothing'}`, async () => {
      const response = await get(`/values?${query}`);
      assert.equal(response.status, 400);
      const refused = (await response.json()) as { code: string; field: string; error: string };
      assert.deepEqual([refused.code, refused.field], ['invalid_field', field]);
      assert.match(refused.error, sentence);
    });
  }
});
