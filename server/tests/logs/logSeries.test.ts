/** Series and children of log entries over HTTP: equal to counting by hand, refused with a sentence, limited to readable datasets. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { getSeries } from '@tapedeck/contract/logSeries';
import { listLogChildren, queryLogs } from '@tapedeck/contract/logs';
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
const encode = encodeURIComponent;

function at(seconds: number): string {
  return new Date(baseMs + seconds * 1000).toISOString();
}

// One entry a minute for two hours. Sizes are larger in the second hour; every fifth entry has no size, and every tenth no resource.
const minutes = Array.from({ length: 120 }, (_, index) => ({
  level: index % 3 === 0 ? 'error' : 'info',
  message: `minute ${index}`,
  resource: index % 10 === 0 ? '' : `r${index % 3}`,
  metadata: {
    ...(index % 5 > 0 && { size: index < 60 ? index : index * 100 }),
    ...(index % 2 > 0 && { player: { id: index % 30 } }),
    level: `deck ${index % 2}`,
  },
  timestamp: at(index * 60),
}));
await store(minutes, 'shown');
await store([{ level: 'warn', message: 'aside', timestamp: at(30) }], 'aside');
await store(
  ['1e308', '1e308', '1e999', '-1e999', '1e999', '007', ' 1', 'NaN'].map((far, index) => ({
    level: 'info',
    message: 'far',
    metadata: { far },
    timestamp: at(Math.floor(index / 2) * 60),
  })),
  'far',
);

const { pattern } = (await readAs(queryLogs.answer, await get('?dataset=shown&limit=1'))).data[0]!;

type Series = { value: string | null; points: (number | null)[] };

const hours = `dataset=shown&interval=1h&from=${at(0)}&to=${at(7199)}`;

async function draw(query: string): Promise<Series[]> {
  return (await readAs(getSeries.answer, await get(`/series?${query}`))).data.series;
}

function count(chosen: (minute: (typeof minutes)[number]) => boolean): [number, number] {
  const found = minutes.map(minute => Number(chosen(minute)));
  const add = (counts: number[]) => counts.reduce((total, one) => total + one, 0);
  return [add(found.slice(0, 60)), add(found.slice(60))];
}

describe('series', () => {
  const sizes = [0, 60].map(first =>
    minutes.slice(first, first + 60).flatMap(({ metadata }) => metadata.size ?? []),
  );
  const add = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
  const each = (fold: (numbers: number[]) => number | null) => [{ value: null, points: sizes.map(fold) }];
  const rows: readonly [title: string, query: string, expected: Series[]][] = [
    ['of all entries', '', [{ value: null, points: [60, 60] }]],
    ['matching a query', '&query=level:error', [{ value: null, points: [20, 20] }]],
    ['of matches', '&level=error', [{ value: null, points: [20, 20] }]],
    [
      'by level',
      '&by=level',
      [
        { value: 'info', points: [40, 40] },
        { value: 'error', points: [20, 20] },
      ],
    ],
    [
      'by resource, and the rest without one',
      '&by=resource&top=2',
      [
        { value: 'r0', points: count(({ resource }) => resource === 'r0') },
        { value: 'r1', points: count(({ resource }) => resource === 'r1') },
        { value: null, points: count(({ resource }) => resource === 'r2' || resource === '') },
      ],
    ],
    ['by dataset', '&by=dataset', [{ value: 'shown', points: [60, 60] }]],
    ['by pattern', '&by=pattern', [{ value: pattern, points: [60, 60] }]],
    [
      'by a path',
      '&by=player.id&top=1',
      [
        { value: '1', points: [2, 2] },
        { value: null, points: [58, 58] },
      ],
    ],
    [
      'by a path with a reserved name',
      '&by=metadata.level',
      [
        { value: 'deck 0', points: [30, 30] },
        { value: 'deck 1', points: [30, 30] },
      ],
    ],
    ['by an unknown path', '&by=nowhere', [{ value: null, points: [60, 60] }]],
    ['by a path that is SQL', `&by=${encode("a'] FROM system.tables --")}`, [{ value: null, points: [60, 60] }]],
    ['of distinct values', '&stat=unique&field=player.id', [{ value: null, points: [15, 15] }]],
    ['of distinct resources, not counting empty ones', '&stat=unique&field=resource', [{ value: null, points: [3, 3] }]],
    ['of minimums', '&stat=min&field=size', each(numbers => Math.min(...numbers))],
    ['of maximums', '&stat=max&field=metadata.size', each(numbers => Math.max(...numbers))],
    ['of sums', '&stat=sum&field=size', each(add)],
    ['of averages', '&stat=avg&field=size', each(numbers => add(numbers) / numbers.length)],
    ['of medians', '&stat=p50&field=size', each(numbers => numbers[Math.ceil(numbers.length * 0.5) - 1]!)],
    ['of 95th percentiles', '&stat=p95&field=size', each(numbers => numbers[Math.ceil(numbers.length * 0.95) - 1]!)],
    ['of 99th percentiles', '&stat=p99&field=size', each(numbers => numbers[Math.ceil(numbers.length * 0.99) - 1]!)],
    ['of averages by level, without the rest', '&stat=avg&field=size&by=level&top=1&level=info', [
      { value: 'info', points: [0, 60].map(first => {
        const found = minutes.slice(first, first + 60).filter(({ level }) => level === 'info').flatMap(({ metadata }) => metadata.size ?? []);
        return add(found) / found.length;
      }) },
    ]],
    ['of averages without values', '&stat=max&field=level', [{ value: null, points: [null, null] }]],
    ['of sums without values', '&stat=sum&field=level', [{ value: null, points: [0, 0] }]],
    ['of a count, with any field', '&stat=count&field=size', [{ value: null, points: [60, 60] }]],
    ['where empty counts as absent', '&by=&field=', [{ value: null, points: [60, 60] }]],
  ]; // biome-ignore format: a table
  for (const [title, query, expected] of rows) {
    it(title, async () => assert.deepEqual(await draw(hours + query), expected));
  }

  it('begin where their buckets do', async () => {
    const { data } = await readAs(getSeries.answer, await get(`/series?${hours}`));
    assert.deepEqual(
      data.timestamps,
      [at(0), at(3600)].map(text => text.replace('Z', '000Z')),
    );
  });

  it('contain empty buckets, of which only counts and sums are numbers', async () => {
    const quiet = `dataset=shown&interval=1d&from=${at(-2 * 86_400)}&to=${at(-1)}`;
    const rows: [string, (number | null)[]][] = [
      ['', [0, 0]],
      ['&stat=sum&field=size', [0, 0]],
      ['&stat=unique&field=size', [null, null]],
      ['&stat=p95&field=size', [null, null]],
    ];
    for (const [query, points] of rows)
      assert.deepEqual(await draw(quiet + query), [{ value: null, points }]);
    assert.deepEqual(await draw(`${quiet}&by=level`), []);
  });

  it('use null for what exceeds the numbers of JSON', async () => {
    const far = `dataset=far&interval=1m&from=${at(0)}&to=${at(239)}&field=far`;
    const rows: [string, (number | null)[]][] = [
      ['sum', [null, null, null, 0]], // too large, opposite infinities, infinite, and texts that are not numbers
      ['avg', [null, null, null, null]],
      ['max', [1e308, null, null, null]],
      ['p50', [1e308, null, null, null]],
      ['unique', [1, 2, 2, 2]],
    ];
    for (const [stat, points] of rows)
      assert.deepEqual(await draw(`${far}&stat=${stat}`), [{ value: null, points }], stat);
  });

  it('of nothing, at any time, are empty', async () => {
    const ask = async (query: string) => (await readAs(getSeries.answer, await get(`/series?${query}`))).data;
    const single = { timestamps: [], series: [{ value: null, points: [] }] };
    assert.deepEqual(await ask('dataset=shown&body=absent'), single);
    assert.deepEqual(await ask(`dataset=shown&from=${at(5)}&to=${at(4)}`), single);
    assert.deepEqual(await ask('dataset=shown&body=absent&by=level'), { timestamps: [], series: [] });
  });

  it('are eight, or up to twenty on request, and the rest', async () => {
    const values = async (query: string) => (await draw(`${hours}&by=metadata.size${query}`)).length;
    assert.equal(await values(''), 9);
    assert.equal(await values('&top=3'), 4);
    assert.equal(await values('&top=20'), 21);
    assert.equal(await values('&top=1000'), 21);
    assert.equal(await values('&stat=max&field=size&top=1000'), 20);
  });

  it('divide the time into fewer buckets when there are many', async () => {
    const span = `dataset=shown&from=${at(0)}&to=${at(7199)}&buckets=1000000`;
    const lengths = async (query: string) => (await draw(span + query)).map(({ points }) => points.length);
    assert.deepEqual(await lengths(''), [10_000]);
    assert.deepEqual(await lengths('&by=level&top=20'), [4_761, 4_761]);
  });

  it('cover all datasets that a token may read', async () => {
    const request = async (holder: string, dataset: string) => {
      const path = `/series?interval=1d&from=${at(0)}&to=${at(7199)}&by=dataset&dataset=${dataset}`;
      const response = await get(path, { authorization: holder });
      if (response.status !== 200) return describeRefusal(response);
      return (await readAs(getSeries.answer, response)).data.series.map(({ value }) => value);
    };
    assert.deepEqual(await request(token, '*'), ['shown', 'far', 'aside']);
    assert.deepEqual(await request(narrow.token, '*'), ['shown']);
    assert.deepEqual(await request(narrow.token, 'shown'), ['shown']);
    assert.equal(await request(narrow.token, 'aside'), '403 scope_missing');
    assert.deepEqual(await request(foreign.token, '*'), []);
  });

  const refusals: readonly [query: string, field: string, sentence: RegExp][] = [
    ['by=body', 'by', /^by must be level, resource, dataset, pattern, or a path of metadata\.$/],
    ['by=parentId', 'by', /^by must be/],
    ['stat=median&field=size', 'stat', /^stat must be one of count, unique, min, max, avg, sum, p50, p95, p99\.$/],
    ['stat=', 'stat', /^stat must be one of/],
    ['stat=p95', 'field', /^field must name the field whose values stat=p95 is computed from\.$/],
    ['stat=sum&field=', 'field', /^field must name/],
    ['stat=avg&field=body', 'field', /^field must be level/],
    ['field=traceId', 'field', /^field must be level/],
    ['by=level&top=0', 'top', /top/],
    ['by=level&top=-1', 'top', /top/],
    ['by=level&top=1.5', 'top', /top/],
    ['by=level&top=many', 'top', /top/],
    ['buckets=0', 'buckets', /buckets/],
    ['interval=fast', 'interval', /^interval must be a span/],
    ['level=loud', 'level', /^level must be/],
    ['dataset=a%20b', 'dataset', /^dataset must be/],
    ['from=soon', 'from', /^from must be/],
    ['to=soon', 'to', /^to must be/],
    [`interval=1s&from=${at(0)}&to=${at(5_000)}&by=level&top=20`, 'interval', /more than 4761 buckets/],
    [`interval=1s&from=${at(0)}&to=${at(10_000)}`, 'interval', /more than 10000 buckets/],
  ]; // biome-ignore format: a table
  for (const [query, field, sentence] of refusals) {
    it(`reject ${query}`, async () => {
      const response = await get(`/series?${query}`);
      assert.equal(response.status, 400);
      const refused = (await response.json()) as { code: string; field: string; error: string };
      assert.deepEqual([refused.code, refused.field], ['invalid_field', field]);
      assert.match(refused.error, sentence);
    });
  }

  it('reject a query that cannot be parsed', async () =>
    assert.equal(await describeRefusal(await get('/series?query=level:')), '400 query_invalid'));

  it('reject an interval with a number of buckets', async () =>
    assert.equal(await describeRefusal(await get('/series?interval=1h&buckets=3')), '400 invalid_field'));
});

describe('children', async () => {
  const { data } = await readAs(queryLogs.answer, await get('?dataset=shown&limit=1'));
  const parentId = data[0]!.traceId;
  const near = await addToken(owner, { kind: 'logs', scopes: ['read', 'dataset:family'] });
  const child = (second: number, parent = parentId) => ({
    level: 'info',
    message: `child ${second}`,
    parentId: parent,
    timestamp: at(86_400 + second), // a day apart from the series
  });
  const title = `title/${'ü'.repeat(100)} %`;
  await store([child(900), child(300)], 'family');
  await store([child(600), child(1, parentId.toUpperCase())], 'kin');
  await store([child(0, title)], 'kin');
  await store(
    Array.from({ length: 120 }, (_, index) => child(index, 'crowd')),
    'family',
  );
  await store([child(5)], 'default', { authorization: foreign.token });

  async function list(parent: string, headers: Record<string, string> = {}): Promise<string[]> {
    const response = await get(`/${encode(parent)}/children`, headers);
    const { data: children } = await readAs(listLogChildren.answer, response);
    return children.map(({ body }) => body);
  }

  it('of all datasets, oldest first, even if older than their parent', async () =>
    assert.deepEqual(await list(parentId), ['child 300', 'child 600', 'child 900']));

  it('ignore a dataset header', async () =>
    assert.deepEqual(await list(parentId, { 'X-Service-Dataset': 'kin' }), [
      'child 300',
      'child 600',
      'child 900',
    ]));

  it("are limited to the token's datasets", async () =>
    assert.deepEqual(await list(parentId, { authorization: near.token }), ['child 300', 'child 900']));

  it('of another project are separate', async () =>
    assert.deepEqual(await list(parentId, { authorization: foreign.token }), ['child 5']));

  it('are at most a hundred', async () => {
    const found = await list('crowd');
    assert.deepEqual([found.length, found[0], found.at(-1)], [100, 'child 0', 'child 99']);
  });

  it('of an id that a client chose', async () => assert.deepEqual(await list(title), ['child 0']));

  it('of an upper-case id are those that name it so, and those of the entry', async () =>
    assert.deepEqual(await list(parentId.toUpperCase()), ['child 1', 'child 300', 'child 600', 'child 900']));

  for (const unknown of ['nonsense', '0190a0a0a0a070000000000000000000', "' OR 1=1 --"])
    it(`of ${unknown} are empty`, async () => assert.deepEqual(await list(unknown), []));
});
