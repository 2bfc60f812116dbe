/** Queries for numbers over time, against counting by hand. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startTestService } from '../support/service.ts';
import { baseSeconds, openLoki } from './lokiEntries.ts';
import { entries, isJson, storeHour } from './lokiHour.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const door = await openLoki(service);
const { read, draw } = door;
await storeHour(door);

const count = (holds: (index: number) => boolean, from: number, to: number) =>
  entries.filter((_, index) => index * 30 > from && index * 30 <= to && holds(index)).length;
/** By windows of ten minutes that end with the steps; those without anything are left out. */
const windows = (holds: (index: number) => boolean, rangeSeconds = 600) =>
  Object.fromEntries(
    [0, 600, 1200, 1800, 2400, 3000, 3600]
      .map(end => [String(end), count(holds, end - rangeSeconds, end)] as const)
      .filter(([, found]) => found > 0)
      .map(([end, found]) => [end, String(found)]),
  );
const all = () => true;

const drawings: readonly [query: string, expected: Record<string, Record<string, string>>][] = [
  ['sum(count_over_time({dataset="game"}[10m]))', { '{}': windows(all) }],
  ['sum(count_over_time({dataset="game"}[25m]))', { '{}': windows(all, 1500) }],
  ['sum(count_over_time({dataset="game"}[1m]))', { '{}': windows(all, 60) }],
  [
    'sum by (level) (count_over_time({dataset="game"}[10m]))',
    {
      '{"level":"error"}': windows(index => index % 3 === 0),
      '{"level":"info"}': windows(index => index % 3 > 0),
    },
  ],
  [
    'sum by (job) (count_over_time({dataset="game"} |= "Paid" [10m]))',
    {
      '{}': windows(index => index % 4 === 0),
      '{"job":"shop"}': windows(index => index % 4 === 2),
    },
  ],
  [
    'sum(count_over_time({dataset="game"} | json | status >= 500 [10m]))',
    { '{}': windows(index => isJson(index) && index >= 100) },
  ],
  [
    'sum by (path) (count_over_time({dataset="game"} |= "status" | json [10m]))',
    Object.fromEntries(
      [0, 1, 2, 3, 4].map(path => [
        `{"path":"/p${path}"}`,
        windows(index => isJson(index) && index % 5 === path),
      ]),
    ),
  ],
  [
    'sum(count_over_time({dataset="game"}[10m] offset 10m))',
    {
      '{}': Object.fromEntries(
        Object.entries(windows(all))
          .map(([end, found]) => [String(Number(end) + 600), found] as const)
          .filter(([end]) => Number(end) <= 3600),
      ),
    },
  ],
  [
    'count_over_time({dataset="other"}[10m])',
    {
      '{"dataset":"other","detected_level":"warn","level":"warn","service_name":"shop"}': { '600': '1' },
    },
  ],
  [
    'vector(3)',
    { '{}': Object.fromEntries([0, 600, 1200, 1800, 2400, 3000, 3600].map(end => [String(end), '3'])) },
  ],
  [
    'absent_over_time({dataset="none"}[10m])',
    {
      '{"dataset":"none"}': Object.fromEntries(
        [0, 600, 1200, 1800, 2400, 3000, 3600].map(end => [String(end), '1']),
      ),
    },
  ],
];

function sumMs(end: number): number {
  return entries.reduce(
    (sum, _, index) => (index * 30 > end - 600 && index * 30 <= end ? sum + index * 10 : sum),
    0,
  );
}

describe('numbers over time', () => {
  for (const [query, expected] of drawings)
    it(query, async () => assert.deepEqual(await draw(query), expected));

  it('are compared', async () => {
    const found = await draw('sum(sum_over_time({dataset="game"} | unwrap ms [10m])) > 13000');
    const expected = [600, 1200, 1800, 2400, 3000, 3600].filter(end => sumMs(end) > 13_000);
    assert.deepEqual(found, {
      '{}': Object.fromEntries(expected.map(end => [String(end), String(sumMs(end))])),
    });
  });

  it('are widened to whole steps', async () => {
    const found = await draw('sum(count_over_time({dataset="other"}[10m]))', {
      ...{ start: String(baseSeconds + 70), end: String(baseSeconds + 80) },
    });
    assert.deepEqual(found, { '{}': { '600': '1' } });
  });

  const moments: readonly [query: string, resultType: string, values: readonly string[]][] = [
    ['topk(1, sum by (level) (count_over_time({dataset="game"}[1h])))', 'vector', ['80']],
    ['sort_desc(sum by (level) (count_over_time({dataset="game"}[1h])))', 'vector', ['80', '39']],
    ['quantile_over_time(0.5, {dataset="game"} | unwrap ms [1h]) by (dataset)', 'vector', ['600']],
    ['max_over_time({dataset="game"} | unwrap ms [1h]) by (dataset)', 'vector', ['1190']],
    ['last_over_time({dataset="game"} | unwrap ms [1h]) by (level)', 'vector', ['1170', '1190']],
    ['stddev_over_time({player_id="1"} |= "Paid" | ms < 100 | unwrap ms [1h]) by (level)', 'vector', ['0']],
    ['sum(count_over_time({dataset="game"}[1h])) * 2', 'vector', ['238']],
    ['sum(bytes_over_time({dataset="other"}[1h]))', 'vector', ['5']],
    [
      'sum by (level) (count_over_time({dataset="game"}[1h])) / on () group_left sum(count_over_time({dataset="game"}[1h]))',
      'vector',
      [String(39 / 119), String(80 / 119)],
    ],
    [
      'label_replace(sum by (level) (count_over_time({dataset="other"}[1h])), "kind", "$1!", "level", "(w).*")',
      'vector',
      ['1'],
    ],
    ['1 + 2', 'scalar', []],
  ];
  for (const [query, resultType, values] of moments)
    it(`${query}, at a moment`, async () => {
      const { data } = await read('query', { query, time: String(baseSeconds + 3600) });
      const found = data as { resultType: string; result: { value: [number, string] }[] };
      assert.equal(found.resultType, resultType);
      if (resultType === 'vector')
        assert.deepEqual(
          found.result.map(({ value }) => value[1]),
          values,
        );
    });
});
