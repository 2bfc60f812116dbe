/** Tests that windows that overlap a lot have the values that each has alone, wherever they are computed. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startTestService } from '../support/service.ts';
import { at, baseSeconds, openLoki } from './lokiEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { store, draw, read } = await openLoki(service);
const count = 2_000;
await store(
  Array.from({ length: count }, (_, index) => {
    const ms = (index * 7_919) % 1_000;
    const message = JSON.stringify({ took: ms / 4, p: `p${index % 3}` });
    return {
      level: index % 5 === 0 ? 'warn' : 'info',
      message,
      metadata: { ms },
      timestamp: at(index * 1.7),
    };
  }),
  'overlaps',
);

const selector = '{dataset="overlaps"}';
const unwrapped = `${selector} | unwrap ms [10m]`;
const parsed = `${selector} | json | unwrap took [10m]`;
const rows: readonly string[] = [
  ...['avg', 'stddev', 'stdvar', 'min', 'max', 'first', 'last'].flatMap(name => [
    `${name}_over_time(${unwrapped}) by (level)`,
    `${name}_over_time(${parsed}) by (p)`,
  ]),
  `quantile_over_time(0.95, ${unwrapped}) by (level)`,
  `quantile_over_time(0.95, ${parsed}) by (p)`,
  `sum by (level) (sum_over_time(${unwrapped}))`,
  `sum(rate_counter(${unwrapped}))`,
  `sum by (level) (count_over_time(${selector}[24h]))`, // more granules than fit into 16 bits
  `max by (level) (max_over_time(${selector} | json | unwrap took [23h59m]))`,
];

const relativeMax = 1e-9;

describe('a query at each second:', () => {
  for (const query of rows)
    it(query, async () => {
      const drawn = await draw(query, { step: '1' });
      assert.ok(Object.keys(drawn).length > 0);
      for (const seconds of [60, 601, 1_777, 3_599]) {
        const { data } = await read('query', { query, time: String(baseSeconds + seconds) });
        // As Loki answers an instant query.
        const { result } = data as { result: { metric: Record<string, string>; value: [number, string] }[] };
        assert.ok(result.length > 0);
        for (const { metric, value } of result) {
          const expected = Number(value[1]);
          const found = Number(drawn[JSON.stringify(metric)]?.[seconds]);
          const isClose = Math.abs(found - expected) <= relativeMax * Math.max(Math.abs(expected), 1);
          assert.ok(isClose, `${JSON.stringify(metric)} at ${seconds}: ${found}, ${expected}`);
        }
      }
    });
});
