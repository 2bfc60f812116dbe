/** The log store must find in JSON what the parser finds line by line: service and package must answer every query alike over the same lines. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import {
  compileSampler,
  evaluateMetric,
  type Line,
  listGroupedRanges,
  parseLogql,
  type RangeAggregation,
  RangeCollection,
  type Series,
} from '@tapedeck/logql';
import { startTestService } from '../support/service.ts';
import { at, baseSeconds, openLoki } from './lokiEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { store, read } = await openLoki(service);

/** Objects as programs write them, and everything that is ambiguous. */
const bodies: readonly string[] = [
  '{"status":500,"path":"/a","ms":12.5,"user":{"id":7,"name":"Ann"}}',
  '{"status": 500, "path": "/b", "ms": 3, "user": {"id": 8}}',
  '{"status":"500","path":"","ms":"4"}',
  '{"status":200,"path":"/a","ms":null,"user_id":9}',
  '{"status":200.0,"path":"/a","ms":1e3}',
  '{"status":-0,"path":"/z","ms":-0}',
  '{"status":true,"path":false,"ms":true}',
  '{"status":[500],"path":{"x":1},"ms":5}',
  '{"status":500,"status":404,"path":"/twice","ms":6}',
  '{" status ":500,"path":"/blank","ms":7}',
  '{"\\u0073tatus":500,"path":"/escaped","ms":8}',
  '{"status":500,"path":"/caf\\u00e9 \\"x\\"","ms":9}',
  '{"status":500,"path":"/cut","ms":10',
  '{"status":500,"path":"/tail","ms":11} more',
  '{"status":500,"path":"/comma","ms":12,}',
  '  {"status":500,"path":"/indented","ms":13}',
  '[{"status":500}]',
  '"status"',
  'status=500 path=/logfmt ms=14',
  'no JSON with 500',
  '',
  '{}',
  '{"status":184467440737095516150,"path":"/vast","ms":15}',
  '{"user-id":3,"status":500,"path":"/spelled","ms":16}',
  '{"user":{"id":4},"user_id":5,"status":500,"path":"/both","ms":17}',
  '{"user_id":6,"user":{"id":5},"status":500,"path":"/both","ms":18}',
  '{"level":"loud","status":500,"path":"/level","ms":19,"zone":"south"}',
  '{"status":"5\ufffd0","path":"/sign\ufffd","ms":20}',
  '{"status":500,"path":"k=v","ms":"21 ms"}',
  '{"status":500,"path":"/\\/slash","ms":"0x10","zone":null}',
  '{"a_b_c":1,"status":1}',
  '{"a":{"b_c":2},"status":2}',
  '{"a_b":{"c":3},"status":3}',
  '{"a":{"b":{"c":4}},"status":4}',
  '{"a.b.c":5,"status":5}',
  '{"status":"{500","path":"[/a]","ms":22}',
  '{"status":500,"path":"{","ms":"{1"}',
  '{"user":["id",4],"status":500,"path":"/a","ms":23}',
  '{"user":[{"id":4}],"user_id":5,"status":500,"path":"/list","ms":24}',
  '{"user":{"id":{"x":1}},"status":500,"path":"/deep","ms":25}',
  '["status",500,"path","/a"]',
  '{"user\\"id":3,"status":500,"path":"/quoted","ms":27}',
  '{"user.id":3,"user":{"name":"id"},"status":500,"path":"/dotted","ms":28}',
  '{"id":9,"status":500,"path":"/user id","ms":29}',
  '{"user":{"id":1.50},"status":"1.50","path":"/point","ms":26}',
];
const metadata = [{}, { zone: 'north' }, { status: '500', zone: '' }, { ms: '30', 'user.id': '7' }];
const levels = ['info', 'error'];
const entries = bodies.flatMap((message, body) =>
  metadata.map((each, index) => ({
    message,
    metadata: each,
    level: levels[(body + index) % 2] ?? 'info',
    resource: 'shop',
    seconds: (body * metadata.length + index) * 20 + 1,
  })),
);

await store(
  entries.map(({ seconds, ...entry }) => ({ ...entry, timestamp: at(seconds) })),
  'members',
);

const lines: readonly Line[] = entries.map(entry => ({
  micros: (baseSeconds + entry.seconds) * 1_000_000,
  text: entry.message,
  stream: [
    ['service_name', 'shop'],
    ['level', entry.level],
    ['dataset', 'members'],
  ],
  metadata: [
    ...Object.entries(entry.metadata).map(([path, value]) => [path.replaceAll('.', '_'), value] as const),
    ['detected_level', entry.level] as const,
  ],
}));

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
await store(
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

const steps = { firstMicros: baseSeconds * 1_000_000, stepMicros: 600_000_000, count: 7 };
const hour = { start: String(baseSeconds), end: String(baseSeconds + 3600), step: '600' };

/** Computes values by labels, or returns the first words of an error. */
function compute(text: string, of: readonly Line[]): unknown {
  const query = parseLogql(text);
  assert.ok(query.kind !== 'log');
  try {
    const results = new Map<RangeAggregation, readonly Series[]>();
    for (const [range, grouping] of listGroupedRanges(query)) {
      const sample = compileSampler(range, { aliases: new Map([['severity', 'level']]), grouping });
      const collection = new RangeCollection(range, {
        seriesMax: 500,
        samplesMax: 100_000,
        pointsMax: 1_000_000,
      });
      for (const line of of) {
        if (line.micros > steps.firstMicros + 3_600_000_000) continue;
        const found = sample(line);
        if (found !== null) collection.add(found.labels, { micros: line.micros, value: found.value });
      }
      results.set(range, collection.compute(steps));
    }
    const operand = evaluateMetric(query, results, { ...steps, isMoment: false });
    assert.ok(operand.kind === 'series');
    return Object.fromEntries(
      operand.series.map(({ labels, points }) => [
        JSON.stringify(labels),
        points.map(point => point?.toFixed(6) ?? null),
      ]),
    );
  } catch (error) {
    return String(error).slice(0, 40);
  }
}

type Drawn = { metric: Record<string, string>; values: [number, string][] };

async function request(query: string): Promise<unknown> {
  try {
    const { data } = await read('query_range', { ...hour, query });
    const { result } = data as { result: Drawn[] }; // a query for numbers
    return Object.fromEntries(
      result.map(({ metric, values }) => {
        const points: (string | null)[] = Array(steps.count).fill(null);
        for (const [seconds, value] of values)
          points[(seconds - baseSeconds) / 600] = Number(value).toFixed(6);
        return [JSON.stringify(Object.entries(metric).sort()), points];
      }),
    );
  } catch (error) {
    assert.ok(error instanceof assert.AssertionError, String(error));
    return `LogqlMistake: ${error.message}`.slice(0, 40);
  }
}

const requireSame = async (query: string, of = lines) =>
  assert.deepEqual(await request(query), compute(query, of), query);

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
