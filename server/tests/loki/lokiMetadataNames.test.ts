/** Metadata with the names of other labels: lines, selectors, filters, lists and numbers must agree on their labels. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startTestService } from '../support/service.ts';
import { at, baseSeconds, openLoki } from './lokiEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { store, read, list, draw } = await openLoki(service);

const entries = [
  { level: 'info', message: 'no resource' },
  { level: 'info', message: 'no resource, but an app', metadata: { app: 'web' } },
  { level: 'info', message: 'no resource, and an empty app', metadata: { app: '' } },
  { level: 'warn', message: 'a resource', resource: 'shop' },
  { level: 'warn', message: 'a resource and an app', resource: 'shop', metadata: { app: 'api' } },
  { level: 'error', message: 'another level', metadata: { level: 'silly', severity: 'fatal' } },
  { level: 'info', message: 'another service', resource: 'shop', metadata: { 'service.name': 'inner' } },
  { level: 'info', message: 'another dataset', resource: 'shop', metadata: { dataset: 'inner', level: 'x' } },
  { level: 'info', message: 'both', resource: 'a', metadata: { level: 'x', level_extracted: 'own' } },
];
await store(
  entries.map((entry, index) => ({ ...entry, timestamp: at(index + 1) })),
  'names',
);

const hour = { start: String(baseSeconds), end: String(baseSeconds + 3600) };
/** Changes nothing, but makes a thread evaluate the lines. */
const byThread = '| decolorize';
const labels = ['app', 'job', 'resource', 'severity', 'level_extracted', 'service_name_extracted'];

describe('the labels of a line are the same', () => {
  it('whether the store or a thread evaluates the query', async () => {
    const own = await list('{dataset="names"}');
    assert.deepEqual(own, await list(`{dataset="names"} ${byThread}`));
    const [found] = own.find(([, line]) => line === 'another dataset')!;
    assert.deepEqual([found.level, found.level_extracted], ['info', 'x']);
    assert.deepEqual([found.dataset, found.dataset_extracted], ['names', 'inner']);
  });

  for (const label of [...labels, 'dataset_extracted'])
    it(`in numbers by ${label}`, async () => {
      const ask = (stage: string) =>
        draw(`sum by (${label}) (count_over_time({dataset="names"} ${stage} [1h]))`);
      assert.deepEqual(await ask(''), await ask(byThread));
    });
});

/** Without the entry whose app is empty: a whole series does not tell an empty label from none. */
const each = 'count_over_time({dataset="names"} != "empty app" [1h])';

/** Queries in which an operator reads the label, not the store. */
const readings: readonly [title: string, write: (label: string) => string][] = [
  ['grouping', label => `sum by (${label}) (1 * ${each})`],
  ['grouping what two operands have', label => `sum by (${label}) (${each} > 5 or ${each})`],
  [
    'copying',
    label =>
      `sum by (${label}) (label_replace(label_replace(${each}, "copy", "$1", "${label}", "(.*)"), "${label}", "$1", "copy", "(.*)"))`,
  ],
  ['matching', label => `sum by (${label}) (${each} and on(${label}) sum by (${label}) (${each}))`],
  [
    'dividing',
    label => `sum by (${label}) (${each} * on(${label}) group_left() (sum by (${label}) (${each}) > bool 0))`,
  ],
];

describe('operators read the labels that the store reads', () => {
  for (const label of ['app', 'job', 'resource', 'severity', 'level_extracted'])
    for (const [title, write] of readings)
      it(`${title} by ${label}`, async () =>
        assert.deepEqual(await draw(write(label)), await draw(`sum by (${label}) (${each})`)));
});

const counted: readonly [label: string, expected: Record<string, number>][] = [
  ['app', { '{}': 1, '{"app":"web"}': 1, '{"app":"unknown_service"}': 2, '{"app":"shop"}': 3 }],
  ['job', { '{"job":"unknown_service"}': 4, '{"job":"shop"}': 4, '{"job":"a"}': 1 }],
  ['level_extracted', { '{"level_extracted":"silly"}': 1, '{"level_extracted":"own"}': 1 }],
  ['service_name_extracted', { '{"service_name_extracted":"inner"}': 1 }],
  ['severity', { '{"severity":"fatal"}': 1, '{"severity":"warn"}': 2, '{"severity":"info"}': 6 }],
];

describe('numbers have the labels of the lines', () => {
  for (const [label, expected] of counted)
    it(label, async () => {
      const found = await draw(`sum by (${label}) (count_over_time({dataset="names"}[1h]))`);
      for (const [series, number] of Object.entries(expected))
        assert.equal(found[series]?.['3600'], String(number), `${series} of ${JSON.stringify(found)}`);
    });

  it('in volumes, too', async () => {
    const { data } = await read('index/volume', { ...hour, query: '{dataset="names"}', targetLabels: 'app' });
    const { result } = data as { result: { metric: { app: string } }[] };
    assert.ok(result.some(({ metric }) => metric.app === 'unknown_service'));
  });
});

const selected: readonly [matchers: string, lines: readonly string[]][] = [
  ['app="unknown_service"', ['no resource', 'another level']],
  ['severity="fatal"', ['another level']],
  ['severity="warning"', ['a resource', 'a resource and an app']],
  ['level="fatal"', ['another level']],
  ['level_extracted="silly"', ['another level']],
  ['level_extracted=~"x|own"', ['another dataset', 'both']],
  ['service_name_extracted="inner"', ['another service']],
];

describe('what a label lists, it also finds', () => {
  for (const [matchers, lines] of selected)
    it(matchers, async () => {
      for (const query of [`{dataset="names", ${matchers}}`, `{dataset="names", ${matchers}} ${byThread}`])
        assert.deepEqual(
          (await list(query)).map(([, line]) => line),
          lines,
          query,
        );
    });

  for (const label of ['level_extracted', 'service_name_extracted'])
    it(`as a filter: ${label}`, async () => {
      const all = (await list('{dataset="names"}')).filter(([own]) => own[label] !== undefined);
      assert.deepEqual(await list(`{dataset="names"} | ${label}!=""`), all);
      assert.deepEqual(await list(`{dataset="names"} ${byThread} | ${label}!=""`), all);
      const values = (await read(`label/${label}/values`, { ...hour, query: '{dataset="names"}' })).data;
      for (const [own] of all) assert.ok((values as string[]).includes(own[label]!));
    });

  it('under the names in the list of labels', async () => {
    const { data } = await read('labels', { ...hour, query: '{dataset="names"}' });
    for (const name of ['level_extracted', 'service_name_extracted', 'dataset_extracted'])
      assert.ok((data as string[]).includes(name), name);
  });
});
