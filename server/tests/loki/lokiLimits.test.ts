/** Results beyond a limit get a clear error on Loki's routes, never a partial result that looks complete. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startTestService } from '../support/service.ts';
import { type AskedFor, at, baseSeconds, openLoki } from './lokiEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { store, ask, read } = await openLoki(service);
const hour = { start: String(baseSeconds), end: String(baseSeconds + 3600) };

const many = 205_000; // more than volumes are computed from
const batch = 5_000;
const body = 'joined';
for (let start = 0; start < many; start += batch)
  await store(
    Array.from({ length: batch }, (_, index) => ({
      level: 'info',
      message: body,
      resource: `r${start + index}`,
      timestamp: at((start + index) % 3600),
    })),
    start === 0 ? 'some' : 'many',
  );

describe('rejects more than a response may contain', () => {
  const rows: [title: string, path: string, parameters: AskedFor, sentence: RegExp][] = [
    ['streams', 'series', { 'match[]': '{dataset="many"}' }, /^more than 5000 streams match; narrow/],
    [
      'values of a label',
      'label/service_name/values',
      { query: '{dataset="many"}' },
      /^the label service_name has more than 5000 values; narrow/,
    ],
    [
      'volumes',
      'index/volume',
      { query: '{level="info"}', targetLabels: 'service_name' },
      /^the volumes would come to more than 200000 points; ask for other targetLabels/,
    ],
    [
      'volumes by stream',
      'index/volume',
      { query: '{service_name=~"r.+"}' },
      /^the volumes would come to more than 200000 points/,
    ],
    [
      'volumes over time',
      'index/volume_range',
      { query: '{level="info"}', targetLabels: 'service_name', step: '60' },
      /^the volumes would come to more than 200000 points/,
    ],
  ];
  for (const [title, path, parameters, sentence] of rows) {
    it(title, async () => {
      const response = await ask(path, { ...hour, ...parameters });
      assert.equal(response.status, 400);
      assert.match(await response.text(), sentence);
    });
  }
});

describe('lists or counts as many as a response may contain', () => {
  it('streams', async () => {
    const { data } = await read('series', { ...hour, 'match[]': '{dataset="some"}' });
    assert.equal((data as unknown[]).length, batch);
  });
  it('values of a label', async () => {
    const { data } = await read('label/service_name/values', { ...hour, query: '{dataset="some"}' });
    assert.equal((data as unknown[]).length, batch);
  });
  it('volumes: the largest hundred', async () => {
    const labelQuery = { ...hour, query: '{dataset="some"}', targetLabels: 'service_name' };
    const { data } = await read('index/volume', labelQuery);
    assert.equal((data as { result: unknown[] }).result.length, 100);
  });
  it('entries and bytes exactly, streams up to the limit', async () => {
    const found = await read('index/stats', { ...hour, query: '{level="info"}' });
    assert.deepEqual(found, { streams: 200_000, chunks: 200_000, entries: many, bytes: many * body.length });
    const some = await read('index/stats', { ...hour, query: '{dataset="some"}' });
    assert.deepEqual(some, { streams: batch, chunks: batch, entries: batch, bytes: batch * body.length });
  });
  it('labels of Logs Drilldown, up to the limit', async () => {
    const answer: unknown = await (
      await ask('detected_labels', { ...hour, query: '{dataset="many"}' })
    ).json();
    const { detectedLabels } = answer as { detectedLabels: { label: string; cardinality: number }[] }; // Loki's shape
    const cardinality = Object.fromEntries(detectedLabels.map(each => [each.label, each.cardinality]));
    assert.ok((cardinality.service_name ?? 0) > 5000);
    assert.deepEqual([cardinality.level, cardinality.dataset], [1, 1]);
  });
});
