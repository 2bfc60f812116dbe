/** Tests that a sample estimates how often a condition holds, and never prevents a query. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogEntry, LogFilter } from '@tapedeck/log-entries';
import { RecentSample } from './pageGuesses.ts';

const filter = (text: string, more: Partial<LogFilter> = {}): LogFilter => ({
  project: 'one',
  datasets: null,
  fromMicros: null,
  toMicros: null,
  condition: { kind: 'text', text },
  ...more,
});

function makeEntries(count: number): LogEntry[] {
  return Array.from({ length: count }, (_, number) => ({
    traceId: String(number).padStart(32, '0'),
    parentId: '',
    timestampMicros: number,
    pattern: '',
    dataset: number % 2 === 0 ? 'even' : 'odd',
    level: 'info',
    resource: 'core',
    body: number % 10 === 0 ? `Heartbeat ${number}` : `request ${number}`,
    metadata: {},
  }));
}

const rows: [string, LogFilter, number][] = [
  ['a word of every tenth entry', filter('heartbeat'), 0.1],
  ['a word of all other entries', filter('Request'), 0.9],
  ['a word of no entry', filter('zweihander'), 0],
  ['a word of one dataset', filter('heartbeat', { datasets: ['odd'] }), 0],
];
for (const [name, asked, expected] of rows)
  test(`estimates the share of ${name}`, async () => {
    const samples = new RecentSample(async () => makeEntries(500));
    assert.equal(await samples.findShare(asked), expected);
  });

test('one sample serves all queries of a project, and each project has its own', async () => {
  const loaded: string[] = [];
  const samples = new RecentSample(async project => {
    loaded.push(project);
    return makeEntries(10);
  });
  await Promise.all([samples.findShare(filter('one')), samples.findShare(filter('two'))]);
  await samples.findShare(filter('three', { project: 'other' }));
  await samples.findShare(filter('four'));
  assert.deepEqual(loaded, ['one', 'other']);
});

test('estimates nothing without entries or after a failure, and tries again later', async () => {
  const answers = [Promise.reject(new Error('away')), Promise.resolve([]), Promise.resolve(makeEntries(10))];
  answers[0]!.catch(() => {});
  const samples = new RecentSample(() => answers.shift()!);
  assert.equal(await samples.findShare(filter('heartbeat')), null);
  assert.equal(await samples.findShare(filter('heartbeat')), null);
  assert.equal(await samples.findShare(filter('heartbeat', { project: 'other' })), 0.1);
});
