/** Queries for numbers over time, compared with counting by hand. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startTestService } from '../support/service.ts';
import { baseSeconds, openLoki } from './lokiEntries.ts';
import { entries, isJson, storeHour } from './lokiHour.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const loki = await openLoki(service);
const { read, draw } = loki;
await storeHour(loki);

const count = (holds: (index: number) => boolean, from: number, to: number) =>
  entries.filter((_, index) => index * 30 > from && index * 30 <= to && holds(index)).length;
/** Ten-minute windows that end at each step, without empty ones. */
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
      '{"job":"unknown_service"}': windows(index => index % 4 === 0),
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

  it('can be compared', async () => {
    const found = await draw('sum(sum_over_time({dataset="game"} | unwrap ms [10m])) > 13000');
    const expected = [600, 1200, 1800, 2400, 3000, 3600].filter(end => sumMs(end) > 13_000);
    assert.deepEqual(found, {
      '{}': Object.fromEntries(expected.map(end => [String(end), String(sumMs(end))])),
    });
  });

  it('are widened to whole steps', async () => {
    const found = await draw('sum(count_over_time({dataset="other"}[10m]))', {
      start: String(baseSeconds + 70),
      end: String(baseSeconds + 80),
    });
    assert.deepEqual(found, { '{}': { '600': '1' } });
  });

  it('are in the order of their labels, whatever sorts them', async () => {
    const found = await draw('sort_desc(sum by (level) (count_over_time({dataset="game"}[1h])))');
    assert.deepEqual(Object.keys(found), ['{"level":"error"}', '{"level":"info"}']);
  });

  const requests: readonly [parameters: Record<string, string>, status: number, says: RegExp][] = [
    [{ query: 'vector(1)', limit: '100000' }, 200, /"resultType":"matrix"/],
    [{ query: 'vector(1)', limit: '9223372036854775807' }, 200, /"resultType":"matrix"/],
    [{ query: 'vector(1)', limit: '9223372036854775808' }, 400, /value out of range/],
    [
      { query: '{dataset="game"}', start: '0', end: '11001', step: '1' },
      400,
      /^exceeded maximum resolution of 11,000/,
    ],
    [{ query: 'vector(1)', start: '0', end: '11000', step: '1' }, 200, /\[11000,"1"\]/],
    [
      { query: 'vector(1)', start: '1700000000.1239', end: '1700000001', step: '0.5' },
      200,
      /"values":\[\[1700000000,"1"\],\[1700000000\.5,"1"\]/,
    ],
    [{ query: '{', start: 'then' }, 400, /^could not parse 'start' parameter/],
    [{ query: '{', limit: '-1' }, 400, /^limit must be a positive value\n$/],
    [{ query: '{', limit: 'x' }, 400, /^strconv\.Atoi: parsing "x": invalid syntax\n$/],
    [{ query: '{', limit: '1e3' }, 400, /^strconv\.Atoi: parsing "1e3": invalid syntax\n$/],
    [
      { query: '{', limit: '9223372036854775808' },
      400,
      /^strconv\.Atoi: parsing "9223372036854775808": value out of range\n$/,
    ],
    [{ query: 'vector(1)', limit: '+5', start: '0', end: '1', step: '1' }, 200, /\[1,"1"\]/],
    [{ query: '{', step: 'x' }, 400, /^cannot parse "x" to a valid duration\n$/],
    [{ query: '{', interval: '-1' }, 400, /^interval must be >= 0\n$/],
    [
      { query: '{', since: 'x' },
      400,
      /^could not parse 'since' parameter: not a valid duration string: "x"\n$/,
    ],
    [{ query: '{' }, 400, /^parse error at line 1, col 2: /],
  ];
  for (const [parameters, status, says] of requests)
    it(`requested by ${new URLSearchParams(parameters)}: ${status}`, async () => {
      const response = await loki.ask('query_range', parameters);
      const answer = await response.text();
      assert.equal(response.status, status, answer);
      assert.match(answer, says);
    });

  it('of volumes have their own parameters', async () => {
    const volume = { query: '{dataset="game"}', start: String(baseSeconds), end: String(baseSeconds + 3600) };
    for (const limit of ['0', '5000'])
      assert.equal((await loki.ask('index/volume', { ...volume, limit })).status, 200);
    const response = await loki.ask('index/volume', { ...volume, aggregateBy: 'rows' });
    assert.deepEqual([response.status, await response.text()], [400, 'invalid aggregation option\n']);
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
    ['sort(sum by (level) (count_over_time({dataset="game"}[1h]))) * 2', 'vector', ['78', '160']],
    ['topk(2, sort_desc(sum by (level) (count_over_time({dataset="game"}[1h]))))', 'vector', ['80', '39']],
    ['sum by (level) (count_over_time({dataset="game"}[1h])) > 50', 'vector', ['80']],
    ['max_over_time({dataset="game"} | unwrap ms [1h]) by ()', 'vector', ['1190']],
    ['sum(count_over_time({dataset="game"} | service_name =~ "ho.*" [1h]))', 'vector', ['90']],
    ['sum(rate({dataset="game"}[1h])) * 3600', 'vector', [String((119 / 3600) * 3600)]],
    ['avg(sum by (player_id) (count_over_time({dataset="game"}[1h])))', 'vector', [String(119 / 3)]],
    ['sum(sum_over_time({dataset="game"} | unwrap ms [1h])) / 1000', 'vector', ['71.4']],
    ['sum(count_over_time({dataset="game"} |= "nothing" [1h])) or vector(0)', 'vector', ['0']],
    ['sum(count_over_time({dataset="game"}[1h])) / 0', 'vector', ['NaN']],
    ['quantile_over_time(2, {dataset="game"} | unwrap ms [1h]) by ()', 'vector', ['+Inf']],
    ['vector(1e21)', 'vector', ['1000000000000000000000']],
    ['vector(0.0000001)', 'vector', ['0.0000001']],
  ];
  for (const [query, resultType, values] of moments)
    it(`${query}, at an instant`, async () => {
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
