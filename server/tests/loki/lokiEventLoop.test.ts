/** No query of Loki's API blocks the event loop longer than CONTRACT.md, 14, allows, however many series or points it comes to. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { requireShortHolds } from '../support/eventLoop.ts';
import { startTestService } from '../support/service.ts';
import { type AskedFor, at, baseSeconds, openLoki } from './lokiEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { store, ask } = await openLoki(service);

const ids = 60_000; // each a separate series
const batch = 5_000;
for (let start = 0; start < ids; start += batch)
  await store(
    Array.from({ length: batch }, (_, index) => ({
      level: 'info',
      message: JSON.stringify({ id: start + index, group: (start + index) % 300 }),
      resource: `r${(start + index) % 1_000}`,
      metadata: { id: String(start + index) },
      timestamp: at((start + index) % 3600),
    })),
    'many',
  );

const many = '{dataset="many"}';
const counted = `sum by (id) (count_over_time(${many}[1h]))`;
const parsed = `sum by (id) (count_over_time(${many} | json [1h]))`;
const some = '{dataset="many", service_name=~"r1.*"}'; // a tenth of them: joins take the thread long
const countedSome = `sum by (id) (count_over_time(${some}[1h]))`;
const parsedSome = `sum by (id) (count_over_time(${some} | json [1h]))`;
const series = `sum by (group) (count_over_time(${many} | json [1h]))`;

/** Rows by status: most have more series than an answer may hold, and are refused after they were computed. */
const rows: readonly [query: string, step: string, status: number][] = [
  [counted, '3600', 400],
  [parsed, '3600', 400],
  [`topk(3, ${counted})`, '3600', 200],
  [`sum(${counted})`, '600', 200],
  [`count(${countedSome} * on (id) ${parsedSome})`, '3600', 200],
  [`count(${countedSome} unless ignoring (level) ${countedSome})`, '3600', 200],
  [`count(label_replace(${counted}, "other", "$1", "id", "(.*)0"))`, '3600', 200],
  [`count(count_over_time(${many}[1h]))`, '3600', 400], // by all metadata
  [`count(count_over_time(${many} | logfmt [1h]))`, '3600', 400],
  [`sum by (id) (rate(${many}[1m])) > 1`, '60', 200],
  [series, '2', 200], // half a million points
  [`${series} * 2 + ${series}`, '3', 200],
];

describe('a query holds the event loop for a moment only', () => {
  for (const [query, step, status] of rows)
    it(`${query}, each ${step} s`, () => requireNoHold('query_range', { query, step }, status));
});

const lists: readonly [path: string, parameters: AskedFor, status: number][] = [
  ['index/volume', { query: many, targetLabels: 'id' }, 200],
  ['index/volume_range', { query: many, targetLabels: 'id', step: '60' }, 200],
  ['index/stats', { query: many }, 200],
  ['series', { 'match[]': many }, 200],
  ['query_range', { query: many, limit: '5000' }, 200],
  ['query_range', { query: `${many} | json`, limit: '5000' }, 200],
];

describe('lists hold it for a moment only', () => {
  for (const [path, parameters, status] of lists)
    it(`${path} of ${JSON.stringify(parameters)}`, () => requireNoHold(path, parameters, status));
});

async function requireNoHold(path: string, parameters: AskedFor, status: number): Promise<void> {
  let turn = 0;
  await requireShortHolds(async () => {
    const before = turn++ * Number(parameters.step ?? 1); // so that no answer comes from a cache
    const hour = { start: String(baseSeconds - before), end: String(baseSeconds + 3600) };
    const response = await ask(path, { ...hour, ...parameters });
    assert.equal(response.status, status, (await response.text()).slice(0, 200));
  });
}
