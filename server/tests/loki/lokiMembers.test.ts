/** The log store must find in JSON what the parser finds line by line: service and package must answer every query alike over the same lines. */
import { after, describe, it } from 'node:test';
import type { Line } from '@tapedeck/logql';
import { startTestService } from '../support/service.ts';
import { at, baseSeconds, openLoki } from './lokiEntries.ts';
import { lines, requireSame as requireSameOf, storeLines } from './memberLines.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const client = await openLoki(service);
await storeLines(client);
const requireSame = (query: string, of = lines) => requireSameOf(client, query, of);

const texts: readonly Line[] = [0, 1].map(index => ({
  micros: (baseSeconds + 1 + index) * 1_000_000,
  text: `{"path":"/${index}"}`,
  stream: [
    ['service_name', 'shop'],
    ['level', 'info'],
    ['dataset', 'texts'],
  ],
  metadata: [['detected_level', 'info']],
}));
await client.store(
  texts.map(({ text }, index) => ({
    level: 'info',
    message: text,
    resource: 'shop',
    timestamp: at(1 + index),
  })),
  'texts',
);

const filters = [
  'status="500"',
  'status!="500"',
  'status=~"5.."',
  'status=~"500|404"',
  'status!~"2.*"',
  'status=""',
  'status!=""',
  'status>=404',
  'status==500',
  'status!=500',
  'ms<10',
  'ms>=0',
  'status>0.5',
  'user_id>0',
  'ms>3 and status="500"',
  'status="200" or path="/a"',
  'user_id="7"',
  'user_id!=""',
  'a_b_c!=""',
  'zone="north"',
  'zone!=""',
  'level="error"',
  'level_extracted="loud"',
  'severity="error"',
  'detected_level!="error"',
  'detected_level_extracted="loud"',
  'status_extracted="500"',
  'ms_extracted>10 | __error__=""',
  'path="/a" | status="500"',
  'path=~"/c.*"',
  'path="/sign "', // a broken character becomes a space
  'path="/café \\"x\\""',
  'path="false"',
  'path="{"',
  'user_name="Ann"',
  '__error__="" | status!="404"',
  '__error__="JSONParserErr"',
];
const groupings = ['', 'by (level)', 'by (status)', 'by (path, zone)', 'by (user_id)', 'by (a_b_c)'];
const parsers = ['| json', '| json | logfmt | drop __error__, __error_details__', '| json |= "5"'];

describe('the log store and the parser agree on JSON', () => {
  // Every filter with every parser, each with the next grouping in turn.
  for (const [place, filter] of filters.entries())
    it(filter, async () => {
      for (const [index, parser] of parsers.entries()) {
        const grouping = groupings[(place + index * 2) % groupings.length] ?? '';
        await requireSame(
          `sum ${grouping} (count_over_time({dataset="members"} ${parser} | ${filter} [10m]))`,
        );
      }
    });

  for (const operation of ['sum', 'min', 'max', 'avg', 'stddev', 'first', 'last'])
    it(`on ${operation} of values`, async () => {
      for (const [filter, by] of [
        ['status="500"', 'by (level)'],
        ['status!=""', 'by (status)'],
        ['path="/a"', 'by ()'],
        ['ms<10 | __error__=""', 'by (level)'],
      ]) {
        const expression = `${operation}_over_time({dataset="members"} | json | ${filter} | unwrap ms [10m])`;
        await requireSame(operation === 'sum' ? `sum ${by} (${expression})` : `${expression} ${by}`);
      }
    });

  const paths: readonly [parser: string, filters: readonly string[]][] = [
    ['p="path", s="status"', ['p="/a"', 's!="500"', 's=""', 's>404 or p=""', 'p=~"/.*" | s=~"5.."', 'path="/a"', 'p!="" | status="500"']],
    ['u="user.id", c="a.b.c"', ['u="7"', 'u!=""', 'u>0', 'c!=""', 'c="" | u=""']],
    ['status="path"', ['status="/a"', 'status="500"', 'status=""']],
    ['m="ms"', ['m>10', 'm<=10 | __error__=""', 'm="" | label_format x=m | x=""', 'label_format path=m | path="5"']],
    ['u=`["user"]["id"]`, n="user.name"', ['u="7" | n="Ann"', 'line_format "{{.u}}{{.n}}" |= "7Ann"', 'drop u | u=""', 'keep n | u=""']],
    ['p="user", l="zone"', ['p!=""', 'l=""', '__error__="JSONParserErr"', '__error__="" | p=""']],
  ]; // biome-ignore format: a table
  for (const [parser, filters] of paths)
    for (const filter of filters)
      it(`on json ${parser} | ${filter}`, async () => {
        for (const by of ['', 'by (level)', 'by (p, u, m)', 'by (status, s)', 'by (path, zone)'])
          await requireSame(
            `sum ${by} (count_over_time({dataset="members"} | json ${parser} | ${filter} [10m]))`,
          );
      });
  for (const stages of [
    'u="user.id", m="ms" | u="7"',
    'm="ms" | m>5',
    'm="ms" | __error__=""',
    'm="status", s="path"',
  ])
    it(`on sums behind json ${stages}`, async () => {
      for (const by of ['', 'by (u)', 'by (s)'])
        await requireSame(
          `sum ${by} (sum_over_time({dataset="members"} | json ${stages} | unwrap m | __error__="" [10m]))`,
        );
    });

  it('on values that are all text', async () => {
    for (const stages of ['', '| __error__=""'])
      for (const query of [
        `sum by (level) (sum_over_time({dataset="texts"} | json | unwrap path ${stages} [10m]))`,
        `avg_over_time({dataset="texts"} | json | unwrap path ${stages} [10m]) by (level)`,
      ])
        await requireSame(query, texts);
  });

  const others = [
    'absent_over_time({dataset="members"} | json | path="/none" [10m])',
    'sum(count_over_time({dataset="members"} | json p="path", u="user" | p="/sign " or u="[\\"id\\",4]" [10m]))',
    'sum(count_over_time({dataset="members"} | logfmt | json | path="/logfmt" [10m]))',
    'absent_over_time({dataset="members"} | json | status="500" [10m])',
    'sum(count_over_time({dataset="members"} | json [10m]))',
    'sum by (level) (bytes_over_time({dataset="members"} | logfmt | unpack | line_format "x" [10m]))',
    'sum by (status) (bytes_rate({dataset="members"} | json | status=~".+" [10m]))',
    'quantile_over_time(0.9, {dataset="members"} |= "/a" | json | unwrap ms [10m]) by (status)',
    'sum(rate({dataset="members"} | zone="north" | json | status="500" [25m]))',
    'sum(count_over_time({dataset="members"} | ms > 20 | json | status="500" [10m]))',
  ];
  for (const query of others) it(query, () => requireSame(query));
});
