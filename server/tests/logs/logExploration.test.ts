/** The routes for exploring logs over HTTP: an entry, its neighbours, counts by time and by value, datasets. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import {
  getFacets,
  getHistogram,
  getLog,
  getLogContext,
  listDatasets,
  queryLogs,
} from '@tapedeck/contract/logs';
import { describeRefusal } from '../support/client.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { openLogClient } from '../support/logSender.ts';
import { addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { owner, token, get, store } = await openLogClient(service);
const foreign = await addToken(owner, { kind: 'logs', project: await addProject(owner, 'foreign') });
const narrow = await addToken(owner, { kind: 'logs', scopes: ['read', 'write', 'dataset:shown'] });
const dayMs = 86_400_000;
/** Midnight, so that buckets of hours and days begin there. */
const baseMs = Math.floor(Date.now() / dayMs) * dayMs - 2 * dayMs;
const encode = encodeURIComponent;

function at(seconds: number): string {
  return new Date(baseMs + seconds * 1000).toISOString();
}

const levels = ['debug', 'info', 'warn', 'error'];
// One entry a minute for two hours; every tenth has no resource. Each holds its number, and its number modulo seven.
const minutes = Array.from({ length: 120 }, (_, index) => ({
  level: levels[index % 4],
  message: `minute ${index}`,
  resource: index % 10 === 0 ? '' : `r${index % 3}`,
  metadata: { rest: index % 7, number: index },
  timestamp: at(index * 60),
}));
await store(minutes, 'shown');
await store([{ level: 'info', message: 'aside', timestamp: at(30) }], 'aside');
const { data: shown } = await readAs(queryLogs.answer, await get('?dataset=shown&order=asc&limit=100'));

describe('an entry by its traceId', () => {
  const { traceId } = shown[0]!;
  const rows: readonly [title: string, path: string, holder: string, status: string][] = [
    ['of any dataset', `/${traceId}`, token, '200'],
    ['in capitals', `/${traceId.toUpperCase()}`, token, '200'],
    ['of the requested dataset', `/${traceId}?dataset=shown`, token, '200'],
    ['of all datasets', `/${traceId}?dataset=*`, token, '200'],
    ['of another dataset', `/${traceId}?dataset=aside`, token, '404 not_found'],
    ['of another project', `/${traceId}`, foreign.token, '404 not_found'],
    ['by a token for its dataset', `/${traceId}`, narrow.token, '200'],
    [
      'with an unknown id',
      `/${traceId.slice(0, -1)}${traceId.endsWith('0') ? '1' : '0'}`,
      token,
      '404 not_found',
    ],
    ['with a word as id', '/nonsense', token, '404 not_found'],
    ['with SQL as id', `/${encode("' OR 1=1 --")}`, token, '404 not_found'],
    ['with an overlong id', `/${'a'.repeat(65)}`, token, '404 not_found'],
    ['of a dataset with an invalid name', `/${traceId}?dataset=a%20b`, token, '400 invalid_field'],
    [
      "of a dataset outside the token's scope",
      `/${traceId}?dataset=aside`,
      narrow.token,
      '403 scope_missing',
    ],
  ];
  for (const [title, path, holder, expected] of rows) {
    it(`${title}: ${expected}`, async () => {
      const response = await get(path, { authorization: holder });
      if (response.status !== 200) return assert.equal(await describeRefusal(response), expected);
      assert.deepEqual((await readAs(getLog.answer, response)).data, shown[0]);
    });
  }
});

describe('a histogram', () => {
  const request = async (query: string) =>
    (await readAs(getHistogram.answer, await get(`/histogram?dataset=shown&${query}`))).data;
  const sum = (buckets: Awaited<ReturnType<typeof request>>) =>
    buckets.map(({ counts }) => counts.debug + counts.info + counts.warn + counts.error);

  it('by interval begins at multiples of it', async () => {
    const buckets = await request('interval=1h');
    assert.deepEqual(
      buckets.map(({ timestamp }) => timestamp),
      [at(0), at(3600)].map(text => text.replace('Z', '000Z')),
    );
    assert.deepEqual(buckets[0]!.counts, { debug: 15, info: 15, warn: 15, error: 15 });
  });

  it('includes empty buckets', async () => {
    assert.deepEqual(sum(await request(`interval=30s&from=${at(0)}&to=${at(150)}`)), [1, 0, 1, 0, 1, 0]);
    assert.deepEqual(
      sum(await request(`interval=1d&from=${at(-2 * 86_400)}&to=${at(86_400)}`)),
      [0, 0, 120, 0],
    );
  });

  it('by a number of buckets has that many', async () => {
    const buckets = await request(`buckets=7&from=${at(0)}&to=${at(7199)}`);
    assert.equal(buckets.length, 7);
    assert.equal(
      sum(buckets).reduce((total, count) => total + count, 0),
      120,
    );
    assert.equal(buckets[0]!.timestamp, at(0).replace('Z', '000Z'));
  });

  it('with neither still counts everything', async () => {
    assert.equal(
      sum(await request('')).reduce((total, count) => total + count, 0),
      120,
    );
  });

  it('of one moment has one-second buckets when the query has no time range', async () => {
    for (const bounds of ['', `&from=${at(180)}`]) {
      const buckets = await request(`metadata.number=3${bounds}`);
      assert.equal(Date.parse(buckets[1]!.timestamp) - Date.parse(buckets[0]!.timestamp), 1000);
      assert.equal(sum(buckets.slice(bounds === '' ? -1 : 0)).indexOf(1), 0, bounds);
    }
  });

  it('applies the filter', async () => {
    const buckets = await request('interval=1h&level=error&resource=r1');
    const expected = minutes.filter(({ level, resource }) => level === 'error' && resource === 'r1').length;
    assert.equal(
      sum(buckets).reduce((total, count) => total + count, 0),
      expected,
    );
  });

  it('of nothing is empty', async () => {
    assert.deepEqual(await request('body=absent'), []);
    assert.deepEqual(await request(`from=${at(5)}&to=${at(4)}`), []);
  });

  it('without matches within given times still has its buckets', async () => {
    assert.deepEqual(sum(await request(`interval=1m&body=absent&from=${at(0)}&to=${at(119)}`)), [0, 0]);
  });

  for (const query of [
    'interval=fast',
    'interval=0s',
    'interval=-1h',
    'interval=1',
    'interval=',
    'buckets=0',
    'buckets=-1',
    'buckets=many',
    'interval=1h&buckets=3',
    'level=none',
    `interval=1s&from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z`,
    `interval=${encode('1h); DROP TABLE logs')}`,
  ]) {
    it(`rejects ${query}`, async () =>
      assert.equal(await describeRefusal(await get(`/histogram?${query}`)), '400 invalid_field'));
  }
});

describe('facets', () => {
  const request = async (query: string) =>
    (await readAs(getFacets.answer, await get(`/facets?dataset=shown&${query}`))).data;
  const count = (values: readonly string[]) =>
    [...Map.groupBy(values, value => value)]
      .map(([value, { length }]) => ({ value, count: length }))
      .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1));

  it('of levels', async () => {
    assert.deepEqual(
      (await request('field=level')).toSorted((one, other) => (one.value < other.value ? -1 : 1)),
      ['debug', 'error', 'info', 'warn'].map(value => ({ value, count: 30 })),
    );
  });

  it('of resources, the most frequent first', async () => {
    const expected = count(minutes.map(({ resource }) => resource).filter(resource => resource !== ''));
    const found = await request('field=resource');
    assert.deepEqual(
      found.filter(({ value }) => value !== ''),
      expected,
    );
  });

  it('of a path of metadata', async () => {
    assert.deepEqual(
      await request('field=metadata.rest'),
      count(minutes.map(({ metadata }) => String(metadata.rest))),
    );
  });

  it('of a path with too many values: fifty', async () => {
    assert.equal((await request('field=metadata.number')).length, 50);
  });

  it('of an unknown path', async () => assert.deepEqual(await request('field=metadata.absent'), []));

  it('of a path that is SQL', async () =>
    assert.deepEqual(await request(`field=metadata.${encode("a'] FROM system.tables --")}`), []));

  it('apply the filter', async () => {
    assert.deepEqual(await request('field=level&level=warn&metadata.rest=2'), [
      {
        value: 'warn',
        count: minutes.filter(({ level, metadata }) => level === 'warn' && metadata.rest === 2).length,
      },
    ]);
  });

  for (const query of [
    '',
    'field=',
    'field=body',
    'field=metadata',
    `field=${encode('level; DROP TABLE logs')}`,
  ]) {
    it(`reject ${query || 'no field'}`, async () =>
      assert.equal(await describeRefusal(await get(`/facets?${query}`)), '400 invalid_field'));
  }
});

describe('the context of an entry', () => {
  const request = async (index: number, query: string) => {
    const path = `/${shown[index]!.traceId}/context?${query}`;
    const { before, entry, after: following } = (await readAs(getLogContext.answer, await get(path))).data;
    assert.equal(entry.body, `minute ${index}`);
    return [before, following].map(side => side.map(({ body }) => Number(body.split(' ')[1])));
  };

  const rows: readonly [title: string, index: number, query: string, before: number[], after: number[]][] = [
    ['on both sides, oldest first', 50, 'before=3&after=2', [47, 48, 49], [51, 52]],
    ['on neither side', 50, 'before=0&after=0', [], []],
    ['at the beginning', 1, 'before=5&after=1', [0], [2]],
    ['filtered', 50, 'before=2&after=2&level=warn', [42, 46], [54, 58]],
    ['of its own dataset, whatever is requested', 0, 'before=1&after=1', [], [1]],
  ];
  for (const [title, index, query, before, following] of rows) {
    it(title, async () => assert.deepEqual(await request(index, query), [before, following]));
  }

  it('has ten entries on each side by default and at most a hundred', async () => {
    assert.deepEqual(
      (await request(50, '')).map(({ length }) => length),
      [10, 10],
    );
    const last = await readAs(queryLogs.answer, await get('?dataset=shown&limit=1'));
    const path = `/${last.data[0]!.traceId}/context?before=1000&after=1000`;
    const { before, after: following } = (await readAs(getLogContext.answer, await get(path))).data;
    assert.deepEqual([before.length, following.length], [100, 0]);
  });

  it('is available to a token for the dataset of the entry', async () => {
    const response = await get(`/${shown[5]!.traceId}/context`, { authorization: narrow.token });
    assert.equal(response.status, 200);
  });

  const refusals: readonly [query: string, expected: string][] = [
    ['before=-1', '400 invalid_field'],
    ['after=x', '400 invalid_field'],
    ['before=1.5', '400 invalid_field'],
    ['dataset=aside', '404 not_found'],
  ];
  for (const [query, expected] of refusals) {
    it(`rejects ${query}`, async () =>
      assert.equal(await describeRefusal(await get(`/${shown[5]!.traceId}/context?${query}`)), expected));
  }

  it('returns 404 for an unknown entry, or one of another project', async () => {
    assert.equal(await describeRefusal(await get('/nonsense/context')), '404 not_found');
    const path = `/${shown[5]!.traceId}/context`;
    assert.equal(await describeRefusal(await get(path, { authorization: foreign.token })), '404 not_found');
  });
});

describe('datasets', () => {
  const list = async (holder = token) =>
    (await readAs(listDatasets.answer, await get('/datasets', { authorization: holder }))).data;

  it('are listed by name, with their contents', async () => {
    const [aside, other] = await list();
    assert.deepEqual([aside!.name, aside!.entries, other!.name, other!.entries], ['aside', 1, 'shown', 120]);
    assert.equal(other!.lastEntryAt, at(119 * 60).replace('Z', '000Z'));
    assert.ok(other!.bytes > aside!.bytes && aside!.retentionDays === null);
  });

  it('of another project are not listed', async () => assert.deepEqual(await list(foreign.token), []));

  it("outside the token's scope are not listed", async () =>
    assert.deepEqual(
      (await list(narrow.token)).map(({ name }) => name),
      ['shown'],
    ));
});
