/** Compares the service's answers to random queries with a naive LogQL evaluation of entries in memory. QUERIES=2000 tries more of them. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { startTestService } from '../support/service.ts';
import { at, openLoki } from './lokiEntries.ts';
import {
  type Draft,
  entries,
  type Lines,
  lines,
  matcher,
  type Part,
  plainStages,
  readLabels,
  soundLines,
} from './randomLines.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { store, list, draw } = await openLoki(service);
const numRuns = Number(process.env.QUERIES ?? 40);

await store(
  entries.map(({ seconds, ...entry }) => ({ ...entry, timestamp: at(seconds) })),
  'oracle',
);

type Windows = { rangeSeconds: number; stepSeconds: number };

/** A window ends at its step and excludes the moment at which it begins. */
function drawNaively(
  drafts: readonly (Draft & { value: number })[],
  { rangeSeconds, stepSeconds, by }: Windows & { by: readonly string[] },
  compute: (values: number[]) => number,
) {
  const drawn: Record<string, Record<string, number>> = {};
  for (let end = 0; end <= 3600; end += stepSeconds) {
    const held = drafts.filter(({ entry }) => entry.seconds > end - rangeSeconds && entry.seconds <= end);
    const groups = Map.groupBy(held, ({ labels }) => {
      const kept = by.map(name => [name, labels.get(name) ?? '']).filter(([, value]) => value !== '');
      return JSON.stringify(Object.fromEntries(kept.sort()));
    });
    for (const [key, group] of groups) {
      const points = drawn[key] ?? {};
      points[end] = compute(group.map(({ value }) => value));
      drawn[key] = points;
    }
  }
  return drawn;
}

const add = (values: number[]) => values.reduce((total, value) => total + value, 0);
const groupings = fc.uniqueArray(fc.constantFrom('level', 'player_id', 'service_name', 'zone'), {
  maxLength: 2,
});
const windows = fc.constantFrom(
  { rangeSeconds: 600, stepSeconds: 600 },
  { rangeSeconds: 900, stepSeconds: 600 },
  { rangeSeconds: 60, stepSeconds: 300 },
);

function toNumbers(drawn: Record<string, Record<string, string>>): Record<string, Record<string, number>> {
  return Object.fromEntries(
    Object.entries(drawn).map(([labels, points]) => {
      const sorted = JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(labels)).sort()));
      return [sorted, Object.fromEntries(Object.entries(points).map(([end, value]) => [end, Number(value)]))];
    }),
  );
}

function requireNear(
  found: Record<string, Record<string, number>>,
  expected: Record<string, Record<string, number>>,
): void {
  assert.deepEqual(Object.keys(found).sort(), Object.keys(expected).sort());
  for (const [labels, points] of Object.entries(expected)) {
    assert.deepEqual(Object.keys(found[labels]!), Object.keys(points));
    for (const [end, value] of Object.entries(points))
      assert.ok(
        Math.abs(found[labels]![end]! - value) <= 1e-9 * Math.max(1, Math.abs(value)),
        `${labels} at ${end}: ${found[labels]![end]} for ${value}`,
      );
  }
}

describe('The service and a simple reading of LogQL agree', () => {
  it('on lines', async () => {
    const check = async ({ text, find }: Lines) => {
      const expected = find().map(({ entry }) => entry.message);
      assert.deepEqual(
        (await list(text)).map(([, line]) => line),
        expected,
        text,
      );
    };
    await fc.assert(fc.asyncProperty(lines, check), { numRuns });
  });

  it('on counts and bytes', async () => {
    const check = async ({ text, find }: Lines, [by, operation]: [string[], string], span: Windows) => {
      const drafts = find().map(draft => ({
        ...draft,
        value: operation === 'count' ? 1 : Buffer.byteLength(draft.entry.message),
      }));
      const query = `sum by (${by.join()}) (${operation}_over_time(${text} [${span.rangeSeconds}s]))`;
      requireNear(
        toNumbers(await draw(query, { step: String(span.stepSeconds) })),
        drawNaively(drafts, { ...span, by }, add),
      );
    };
    const operations = fc.constantFrom('count', 'bytes');
    await fc.assert(fc.asyncProperty(soundLines, fc.tuple(groupings, operations), windows, check), {
      numRuns,
    });
  });

  it('on values of a label', async () => {
    const statistics: Readonly<Record<string, (values: number[]) => number>> = {
      sum: add,
      min: values => Math.min(...values),
      max: values => Math.max(...values),
      avg: values => add(values) / values.length,
      stdvar: values => add(values.map(value => (value - add(values) / values.length) ** 2)) / values.length,
      last: values => values.at(-1)!,
    };
    const plain = fc.tuple(fc.array(matcher, { maxLength: 2 }), plainStages);
    const check = async ([matchers, stages]: [Part[], Part[]], statistic: string, span: Windows) => {
      const all = [...matchers, ...stages];
      const drafts = entries
        .map(entry => ({ entry, labels: readLabels(entry), value: Number(entry.metadata.ms) }))
        .filter(draft => draft.labels.has('ms') && all.every(({ holds }) => holds(draft)));
      const selector = ['dataset="oracle"', ...matchers.map(({ text }) => text)].join(', ');
      const inner = `${statistic}_over_time({${selector}} ${stages.map(({ text }) => text).join(' ')} | unwrap ms [${span.rangeSeconds}s])`;
      const query = statistic === 'sum' ? `sum by (level) (${inner})` : `${inner} by (level)`;
      const drawn = drawNaively(drafts, { ...span, by: ['level'] }, statistics[statistic]!);
      requireNear(toNumbers(await draw(query, { step: String(span.stepSeconds) })), drawn);
    };
    await fc.assert(fc.asyncProperty(plain, fc.constantFrom(...Object.keys(statistics)), windows, check), {
      numRuns,
    });
  });
});
