/** Odd JSON lines, and the values that the package `logql` computes of them line by line. The service must give the same ones. */
import assert from 'node:assert/strict';
import {
  compileSampler,
  evaluateMetric,
  type Line,
  listGroupedRanges,
  omitUnused,
  parseLogql,
  type RangeAggregation,
  RangeCollection,
  type Series,
} from '@tapedeck/logql';
import { at, baseSeconds, type LokiClient } from './lokiEntries.ts';

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
  '{"status":500,"path":"line\\nbreak\\ttab","ms":31}',
  '{"status":"ß","path":"\\ud83d\\ude00 é","ms":32,"zone":"Süd"}',
  '{"status":500,"path":"\\ud800","ms":33}',
  '{"status":" 500 ","path":" padded ","ms":34}',
  '{"status":500,"path":"{{.ms}}","ms":35,"app":"inner","severity":"loud"}',
  '{"status":500,"path":"\\\\d+","ms":36,"where":"/a","dataset":"own"}',
  '{"x":"old","y":"/a","status":500,"path":"/a","ms":37}',
  '{"status":{"":500},"path":{" ":"/a"},"ms":{"\\t":{"":38}}}',
  '{"detected_level":"loud","status":500,"path":"/detected","ms":39}',
];
const metadata = [{}, { zone: 'north' }, { status: '500', zone: '' }, { ms: '30', 'user.id': '7' }];
const levels = ['info', 'error'];
const entries = bodies.flatMap((message, body) =>
  metadata.map((each, index) => ({
    message,
    metadata: each,
    level: levels[(body + index) % 2] ?? 'info',
    resource: (body + index) % 5 === 0 ? '' : 'shop',
    seconds: (body * metadata.length + index) * 16 + 1,
  })),
);

export const lines: readonly Line[] = entries.map(entry => ({
  micros: (baseSeconds + entry.seconds) * 1_000_000,
  text: entry.message,
  stream: [
    ['service_name', entry.resource || 'unknown_service'],
    ['level', entry.level],
    ['dataset', 'members'],
  ],
  metadata: [
    ...Object.entries(entry.metadata).map(([path, value]) => [path.replaceAll('.', '_'), value] as const),
    ['detected_level', entry.level] as const,
  ],
}));

export async function storeLines({ store }: LokiClient): Promise<void> {
  await store(
    entries.map(({ seconds, ...entry }) => ({ ...entry, timestamp: at(seconds) })),
    'members',
  );
}

/** Requires that the service answers what the package computes of the lines. */
export async function requireSame(client: LokiClient, query: string, of = lines): Promise<void> {
  assert.deepEqual(await request(client, query), compute(query, of), query);
}

const steps = { firstMicros: baseSeconds * 1_000_000, stepMicros: 600_000_000, count: 7 };
const hour = { start: String(baseSeconds), end: String(baseSeconds + 3600), step: '600' };

const aliases = new Map([
  ['app', 'service_name'],
  ['severity', 'level'],
]);

/** Computes values by labels, or returns the first words of an error. */
function compute(text: string, of: readonly Line[]): unknown {
  const query = parseLogql(text);
  assert.ok(query.kind !== 'log');
  try {
    const results = new Map<RangeAggregation, readonly Series[]>();
    for (const [range, grouping] of listGroupedRanges(query)) {
      const sample = compileSampler(omitUnused(range, grouping), { aliases, grouping });
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

async function request({ read }: LokiClient, query: string): Promise<unknown> {
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

/** Makes a line of each message, spread over an hour, for the parsers and as the service takes it. */
export function spreadLines(
  dataset: string,
  messages: readonly string[],
  readMetadata: (index: number) => Readonly<Record<string, string>>,
) {
  const micros = (index: number) =>
    (baseSeconds * 1000 + Math.round(((index + 1) * 3_500_000) / messages.length)) * 1000;
  const lines = messages.map(
    (text, index): Line => ({
      micros: micros(index),
      text,
      stream: [
        ['service_name', 'shop'],
        ['level', 'info'],
        ['dataset', dataset],
      ],
      metadata: [...Object.entries(readMetadata(index)), ['detected_level', 'info']],
    }),
  );
  const entries = messages.map((message, index) => ({
    level: 'info',
    message,
    metadata: readMetadata(index),
    resource: 'shop',
    timestamp: new Date(micros(index) / 1000).toISOString(),
  }));
  return { lines, entries };
}
