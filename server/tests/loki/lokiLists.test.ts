/** Queries for lines over entries stored through the usual routes, and refused queries. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startTestService } from '../support/service.ts';
import { at, baseSeconds, openLoki } from './lokiEntries.ts';
import { entries, isJson, storeHour } from './lokiHour.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const loki = await openLoki(service);
const { token, ask, read, list } = loki;
await storeHour(loki);

const of = (holds: (entry: (typeof entries)[number], index: number) => boolean) =>
  entries.filter(holds).map(({ message }) => message);

const lists: readonly [query: string, expected: readonly string[]][] = [
  ['{service_name="shop", dataset="game"}', of(({ resource }) => resource === 'shop')],
  ['{service_name="unknown_service"}', of(({ resource }) => resource === '')],
  ['{service_name!="shop", dataset="game"}', of(({ resource }) => resource === '')],
  [
    '{service_name=~"sh.*", dataset=~"ga.+", level="error"}',
    of(({ resource, level }) => resource === 'shop' && level === 'error'),
  ],
  ['{job="shop", dataset="game"}', of(({ resource }) => resource === 'shop')],
  ['{dataset="game", level="err"}', of(({ level }) => level === 'error')],
  ['{dataset="game", detected_level=~"err.*"}', of(({ level }) => level === 'error')],
  ['{player_id="1"}', of((_, index) => index % 3 === 1)],
  ['{player_id=~"1|2"}', of((_, index) => index % 3 > 0)],
  ['{dataset="game", player_id!~"[12]"}', of((_, index) => index % 3 === 0)],
  ['{dataset="game", odd=""}', of((_, index) => index !== 60)],
  ['{odd=~".+"}', of((_, index) => index === 60)],
  ['{dataset="game"} |= "Paid"', of(({ message }) => message.includes('Paid'))],
  ['{dataset="game"} |= "paid"', []],
  ['{dataset="game"} |= "p1" or "Ann 2"', of(({ message }) => /p1|Ann 2/.test(message))],
  ['{dataset="game"} != "p1" != "Ann"', of(({ message }) => !/p1|Ann/.test(message))],
  ['{dataset="game"} |~ "took=1[0-9]ms"', of(({ message }) => /took=1[0-9]ms/.test(message))],
  [
    '{dataset="game"} |~ "(?i)PAID" !~ "Ann [01]"',
    of(({ message }) => /paid/i.test(message) && !/Ann [01]/.test(message)),
  ],
  ['{dataset="game"} |> "took=<_>ms user=<_>Paid"', of(({ message }) => message.startsWith('took'))],
  // More texts than the store searches for itself.
  ['{dataset="game"} |> `t<_>k<_>m<_> <_>e<_>=<_>A<_> <_>"<_>P<_>i<_>`', of((_, index) => !isJson(index))],
  [
    '{dataset="game"} |> `t<_>k<_>m<_> <_>e<_>=<_>A<_> <_>"<_>P<_>i<_>` |= "Ann 2"',
    of((_, index) => index % 4 === 2),
  ],
  ['{dataset="game"} !> `t<_>k<_>m<_> <_>e<_>=<_>A<_> <_>"<_>P<_>i<_>`', of((_, index) => isJson(index))],
  ['{dataset="game"} !> "took=<_>ms user=<_>Paid"', of((_, index) => isJson(index))],
  ['{dataset="game"} | ms >= 1000', of((_, index) => index >= 100)],
  ['{dataset="game"} | ms > 1000 or ms = 0', of((_, index) => index > 100 || index === 0)],
  [
    '{dataset="game"} | player_id = "1" | level = "info"',
    of(({ level }, index) => index % 3 === 1 && level === 'info'),
  ],
  ['{dataset="game"} | odd > 5', of((_, index) => index === 60)],
  // Filter expressions match anywhere in a label, selector expressions do not.
  ['{dataset="game"} | service_name =~ "ho.*"', of(({ resource }) => resource === 'shop')],
  ['{dataset="game", service_name=~"ho.*"}', []],
  ['{dataset="game"} | service_name =~ "ho"', []],
  ['{dataset="game"} | level =~ "error|err"', of(({ level }) => level === 'error')],
  ['{dataset="game"} | odd !~ "num.*"', of((_, index) => index !== 60)],
  ['{dataset="game"} | player_id =~ "" | ms = 50', of((_, index) => index === 5)],
  ['{dataset="game"} | ms = 50 or ms = 70 | player_id = "1"', of((_, index) => index === 7)],
  [
    '{dataset="game"} | ms > 1100, level = "error" or player_id = "1"',
    of(({ level }, index) => index > 110 && (level === 'error' || index % 3 === 1)),
  ],
  ['{dataset="game"} |= "took=5ms" or "took=7ms" or "took=8ms"', of((_, index) => index === 8)],
  ['{dataset="game"} != "took" !~ "p[0-3]"', of((_, index) => isJson(index) && index % 5 === 4)],
  [
    '{dataset="game"} | logfmt | took >= 116ms | user =~ "Ann.*"',
    of((_, index) => index === 116 || index === 118),
  ],
  [
    '{dataset="game"} | json path | path = "/p2" | ms > 1100',
    of((_, index) => isJson(index) && index % 5 === 2 && index > 110),
  ],
  [
    '{dataset="game"} | label_format kind=level | kind = "error" | ms < 50',
    of(({ level }, index) => level === 'error' && index < 5),
  ],
  ['{dataset="game"} | drop level | level = "" | ms < 20', of((_, index) => index < 2)],
  ['{dataset="game"} | ms < 20 | line_format "{{.ms}}/{{.player_id}}"', ['0/0', '10/1']],
  ['{dataset="game"} | json | status >= 500', of((_, index) => isJson(index) && index >= 100)],
  ['{dataset="game"} | json | status < 405', of((_, index) => isJson(index) && index < 5)],
  ['{dataset="game"} | json | path = "/p1"', of((_, index) => isJson(index) && index % 5 === 1)],
  ['{dataset="game"} | json | __error__ != ""', of((_, index) => !isJson(index))],
  ['{dataset="game"} | logfmt | took > 100ms', of((_, index) => !isJson(index) && index > 100)],
  ['{dataset="game"} | logfmt | user = "Ann 2"', of((_, index) => !isJson(index) && index % 4 === 2)],
  ['{dataset="game"} | pattern "took=<took>ms <_>" | took = "10"', of((_, index) => index === 10)],
  [
    '{dataset="game"} | regexp "took=(?P<t>[0-9]+)ms" | t > 110',
    of((_, index) => !isJson(index) && index > 110),
  ],
  [
    '{dataset="game"} | json | line_format "{{.path}}" |= "p3"',
    entries.flatMap((_, index) => (isJson(index) && index % 5 === 3 ? ['/p3'] : [])),
  ],
];

describe('lists of lines', () => {
  for (const [query, expected] of lists)
    it(query, async () =>
      assert.deepEqual(
        (await list(query)).map(([, line]) => line),
        expected,
      ),
    );

  it('have the labels of the stream, including metadata', async () => {
    const [found] = await list('{dataset="game"} | json | status = 461');
    const labels = {
      service_name: 'shop',
      level: 'info',
      dataset: 'game',
      detected_level: 'info',
      player_id: '1',
      ms: '610',
    };
    assert.deepEqual(found, [{ ...labels, status: '461', path: '/p1' }, entries[61]!.message]);
  });

  it('separate kinds of labels on request', async () => {
    const { data } = await read(
      'query_range',
      {
        query: '{dataset="game"} | json | status = 461',
        start: String(baseSeconds),
        end: String(baseSeconds + 3600),
      },
      { 'X-Loki-Response-Encoding-Flags': 'categorize-labels' },
    );
    const { result, encodingFlags } = data as { result: unknown; encodingFlags: unknown };
    assert.deepEqual(encodingFlags, ['categorize-labels']);
    const categories = {
      structuredMetadata: { player_id: '1', ms: '610', detected_level: 'info' },
      parsed: { status: '461', path: '/p1' },
    };
    assert.deepEqual(result, [
      {
        stream: { service_name: 'shop', level: 'info', dataset: 'game' },
        values: [[`${baseSeconds + 61 * 30}000000000`, entries[61]!.message, categories]],
      },
    ]);
  });

  it('include their start and exclude their end, newest first, up to the limit', async () => {
    const span = { start: `${baseSeconds + 60}000000000`, end: at(150), direction: 'backward' };
    const lines = await list('{dataset="game"}', span);
    assert.deepEqual(
      lines.map(([, line]) => line),
      entries.slice(2, 5).map(({ message }) => message),
    );
    assert.deepEqual(
      (await list('{dataset="game"}', { ...span, limit: '1' })).map(([, line]) => line),
      [entries[4]!.message],
    );
    assert.equal((await list('{dataset="game"}', { interval: '600' })).length, 6);
  });

  it('are limited to the datasets in the tenant header', async () => {
    const { data } = await read(
      'query_range',
      { query: '{level="warn"}', since: '3h' },
      { 'X-Scope-OrgID': 'other|game' },
    );
    assert.equal((data as { result: unknown[] }).result.length, 1);
    const none = await read(
      'query_range',
      { query: '{level="warn"}', since: '3h' },
      { 'X-Scope-OrgID': 'game' },
    );
    assert.deepEqual((none.data as { result: unknown[] }).result, []);
  });

  it('can be requested with a form, too, with the token as password', async () => {
    const response = await service.fetch('/loki/api/v1/query_range', {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`any:${token}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ query: '{dataset="other"}', since: '3h' }),
    });
    const { data } = (await response.json()) as { data: { result: { values: string[][] }[] } };
    assert.deepEqual(
      data.result.map(({ values }) => values[0]?.[1]),
      ['aside'],
    );
  });
});

const refusals: readonly [
  path: string,
  parameters: Record<string, string>,
  status: number,
  sentence: RegExp,
][] = [
  ['query_range', {}, 400, /^parse error at line 1, col 1: syntax error: unexpected \$end\n$/],
  ['query', {}, 400, /^parse error at line 1, col 1: syntax error: unexpected \$end\n$/],
  [
    'query_range',
    { query: '{dataset=}' },
    400,
    /^parse error at line 1, col 10: syntax error: unexpected \}, expecting STRING\n$/,
  ],
  [
    'query_range',
    { query: '{dataset!="x"}' },
    400,
    /^parse error : queries require at least one regexp or equality matcher/,
  ],
  ['query', { query: '{dataset="x"}' }, 400, /^log queries are not supported as an instant query type/],
  [
    'query_range',
    { query: 'rate({dataset="game"}[1m])', start: '1', end: '315360001', step: '1' },
    400,
    /^exceeded maximum resolution of 11,000 points/,
  ],
  ['query_range', { query: '{dataset="game"}', limit: '5001' }, 400, /^max entries limit per query exceeded/],
  ['query_range', { query: '{dataset="game"}', limit: '0' }, 400, /^limit must be a positive value/],
  ['query_range', { query: '{dataset="game"}', direction: 'up' }, 400, /^invalid direction 'up'\n$/],
  [
    'query_range',
    { query: '{dataset="game"}', start: 'then' },
    400,
    /^could not parse 'start' parameter: strconv\.ParseInt: parsing "then": invalid syntax\n$/,
  ],
  [
    'query_range',
    { query: '{dataset="game"}', start: '10', end: '5' },
    400,
    /^end timestamp must not be before/,
  ],
  ['query_range', { query: '{dataset="game"}', step: '0' }, 400, /^zero or negative query resolution/],
  [
    'query_range',
    { query: 'sum by (path) (count_over_time({dataset="game"} | json [1m]))', since: '3h' },
    400,
    /^pipeline error: 'JSONParserErr' for series/,
  ],
  [
    'query_range',
    { query: 'sum by (level) (count_over_time({dataset="game"} | odd > 5 [1m]))', since: '3h' },
    400,
    /^pipeline error: 'LabelFilterErr'/,
  ],
  [
    'query_range',
    { query: 'sum(sum_over_time({dataset="game"} | unwrap odd [1m]))', since: '3h' },
    400,
    /^pipeline error: 'SampleExtractionErr'/,
  ],
  [
    'query_range',
    { query: '{dataset="game"} |~ "(a{1000}){1000}"' },
    400,
    /^parse error : stage '.*' : error parsing regexp/,
  ],
];

describe('rejections', () => {
  for (const [path, parameters, status, sentence] of refusals)
    it(`${path} ${JSON.stringify(parameters)}`, async () => {
      const startedAt = performance.now();
      const response = await ask(path, parameters);
      assert.equal(response.status, status);
      assert.match(response.headers.get('content-type') ?? '', /^text\/plain/);
      assert.match(await response.text(), sentence);
      assert.ok(performance.now() - startedAt < 5_000);
    });
});
