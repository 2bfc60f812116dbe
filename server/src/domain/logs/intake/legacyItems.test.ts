/** Legacy entries are mended rather than refused: what old clients send, and what is stored of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeRequest, openIngest } from '../../../../tests/logs/ingests.ts';
import { ingestLegacyLogs } from './ingest.ts';

const levelSynonyms = new Map([
  ['warning', 'warn'],
  ['err', 'error'],
  ['fatal', 'error'],
  ['critical', 'error'],
  ['trace', 'debug'],
  ['verbose', 'debug'],
  ['notice', 'info'],
  ['log', 'info'],
] as const);

const none = { level: 'info', message: '', resource: '', parentId: '', metadata: {} };

const cases: { title: string; body: unknown; expected: object[] }[] = [
  {
    title: 'one object',
    body: { level: 'warn', message: 'm' },
    expected: [{ ...none, level: 'warn', message: 'm' }],
  },
  {
    title: 'an array',
    body: [{ message: 'a' }, { message: 'b' }],
    expected: [
      { ...none, message: 'a' },
      { ...none, message: 'b' },
    ],
  },
  { title: 'an empty array', body: [], expected: [] },
  { title: 'no object at all', body: 'text', expected: [] },
  {
    title: 'things that are no objects',
    body: [1, null, 'x', [], { message: 'kept' }],
    expected: [{ ...none, message: 'kept' }],
  },
  { title: 'an empty object', body: {}, expected: [none] },
  { title: 'a message that is a number', body: { message: 5 }, expected: [{ ...none, message: '5' }] },
  {
    title: 'a message that is an object',
    body: { message: { a: [1] } },
    expected: [{ ...none, message: '{"a":[1]}' }],
  },
  {
    title: 'synonyms of levels in any case',
    body: ['WARNING', 'Err', 'fatal', 'critical', 'TRACE', 'verbose', 'notice', 'log', 'Error'].map(
      level => ({ level }),
    ),
    expected: ['warn', 'error', 'error', 'error', 'debug', 'debug', 'info', 'info', 'error'].map(level => ({
      ...none,
      level,
    })),
  },
  {
    title: 'a level that nobody knows',
    body: { level: 'LOUD', metadata: { a: 1 } },
    expected: [{ ...none, metadata: { level: 'LOUD', a: '1' } }],
  },
  {
    title: 'a level that is a number, beside a level in the metadata',
    body: { level: 3, metadata: { level: 'x' } },
    expected: [{ ...none, metadata: { level: '3' } }],
  },
  {
    title: 'nested metadata with numbers and flags',
    body: { metadata: { a: { b: [1, true, null] } } },
    expected: [{ ...none, metadata: { 'a.b.0': '1', 'a.b.1': 'true', 'a.b.2': 'null' } }],
  },
  {
    title: 'metadata that is a text',
    body: { metadata: 'text' },
    expected: [{ ...none, metadata: { metadata: 'text' } }],
  },
  {
    title: 'metadata that is a list',
    body: { metadata: ['a', 'b'] },
    expected: [{ ...none, metadata: { 0: 'a', 1: 'b' } }],
  },
  {
    title: 'a resource and a parent that are numbers',
    body: { resource: 1, parentId: 2 },
    expected: [{ ...none, resource: '1', parentId: '2' }],
  },
  {
    title: 'a key that is too long',
    body: { metadata: { ['k'.repeat(300)]: 1, kept: 2 } },
    expected: [{ ...none, metadata: { kept: '2' } }],
  },
  {
    title: 'texts that are too long',
    body: { message: '🎮'.repeat(20_000), metadata: { v: 'x'.repeat(20_000) } },
    expected: [{ ...none, message: '🎮'.repeat(16_384), metadata: { v: 'x'.repeat(16_384) } }],
  },
];

for (const { title, body, expected } of cases) {
  test(`takes ${title}`, async () => {
    await using opened = await openIngest();
    await ingestLegacyLogs({ ...opened.deps, levelSynonyms }, makeRequest(JSON.stringify(body)));
    const rows = (await opened.takeRows()).map(({ level, message, resource, parentId, metadata }) => ({
      level,
      message,
      resource,
      parentId,
      metadata,
    }));
    assert.deepEqual(rows, expected);
  });
}

test('takes more than 256 leaves, of which the first are kept', async () => {
  await using opened = await openIngest();
  const metadata = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`k${index}`, index]));
  await ingestLegacyLogs({ ...opened.deps, levelSynonyms }, makeRequest({ level: '?', metadata }));
  const kept = (await opened.takeRows())[0]?.metadata ?? {};
  assert.equal(Object.keys(kept).length, 256);
  assert.equal(kept.level, '?');
});

test('takes 10,000 levels of nesting', async () => {
  await using opened = await openIngest();
  const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
  await ingestLegacyLogs(
    { ...opened.deps, levelSynonyms },
    makeRequest(`{"message":${deep},"metadata":${deep}}`),
  );
  assert.equal((await opened.takeRows()).length, 1);
});

test('takes more than 10,000 entries', async () => {
  await using opened = await openIngest();
  const entries = Array.from({ length: 25_000 }, (_, index) => ({ message: String(index) }));
  await ingestLegacyLogs({ ...opened.deps, levelSynonyms }, makeRequest(entries));
  assert.deepEqual(
    (await opened.takeRows()).map(row => row.message),
    entries.map(entry => entry.message),
  );
});

test('an impossible timestamp counts as absent, a possible one does not', async () => {
  await using opened = await openIngest();
  await ingestLegacyLogs(
    { ...opened.deps, levelSynonyms },
    makeRequest([{ timestamp: 'soon' }, { timestamp: '2026-01-02T03:04:05Z' }]),
  );
  const [first, second] = await opened.takeRows();
  assert.ok(Math.abs((first?.timestampMicros ?? 0) / 1000 - Date.now()) < 60_000);
  assert.equal(second?.timestampMicros, Date.UTC(2026, 0, 2, 3, 4, 5) * 1000);
});

test('refuses what is not JSON', async () => {
  await using opened = await openIngest();
  await assert.rejects(ingestLegacyLogs({ ...opened.deps, levelSynonyms }, makeRequest('{level:')), {
    code: 'invalid_json',
  });
});
