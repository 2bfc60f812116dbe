/** The batches that the ingest route accepts and stores. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ingestLogs, makeRequest, type OpenedIngest, openIngest } from '../../../tests/logs/ingestFixture.ts';

const now = Date.now();
const dayMs = 86_400_000;
let opened: OpenedIngest;

before(async () => {
  opened = await openIngest();
});

after(async () => {
  await opened[Symbol.asyncDispose]();
});

const good = { level: 'info', message: 'fine' };

/** Stores a good entry with these fields, and returns the stored values of the given fields. */
async function store(fields: object | string, columns: readonly string[]): Promise<Record<string, unknown>> {
  const body = typeof fields === 'string' ? fields : [{ ...good, ...fields }];
  await ingestLogs(opened.deps, makeRequest(body));
  const [row, ...others] = await opened.takeRows();
  assert.equal(others.length, 0);
  return Object.fromEntries(Object.entries(row ?? {}).filter(([name]) => columns.includes(name)));
}

type Acceptance = readonly [title: string, fields: object, stored: Record<string, unknown>];

const full = { level: 'warn', message: 'm', resource: 'r', metadata: { a: 'b' } };
const nulls = { resource: null, metadata: null, parentId: null, timestamp: null };

const plain: readonly Acceptance[] = [
  ['the four documented fields', full, full],
  ['an empty message', { message: '' }, { message: '' }],
  ['a message of exactly 64 KiB', { message: 'ä'.repeat(32_768) }, { message: 'ä'.repeat(32_768) }],
  ['nulls, which count as absent', nulls, { resource: '', parentId: '', metadata: {} }],
  ['a parentId', { parentId: 'abc' }, { parentId: 'abc' }],
  ['unknown fields', { surplus: [1] }, { message: 'fine' }],
  ['SQL, stored as text', { message: "'); DROP TABLE logs; --" }, { message: "'); DROP TABLE logs; --" }],
  ['NUL, stored as text', { message: 'a\0b' }, { message: 'a\0b' }],
];

function nest(levels: number): unknown {
  let value: unknown = 'leaf';
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

const leaves = Object.fromEntries(Array.from({ length: 256 }, (_, index) => [`key${index}`, `${index}`]));
const values = { ok: true, no: null, big: 1e21, tiny: 1e-7, negative: -0 };
const printed = { ok: 'true', no: 'null', big: '1e+21', tiny: '1e-7', negative: '0' };
const nested = { pos: { x: 12.5 }, items: [{ name: 'a' }, { name: 'b' }] };
const paths = { 'pos.x': '12.5', 'items.0.name': 'a', 'items.1.name': 'b' };

const metadata: readonly Acceptance[] = [
  ['an empty array', [], {}],
  ['nested values as dotted paths', nested, paths],
  ['values that are not text', values, printed],
  ['empty objects and arrays, which are dropped', { a: {}, b: [], c: { d: [] }, e: 1 }, { e: '1' }],
  ['20 levels', nest(20) as object, { [Array(20).fill('a').join('.')]: 'leaf' }],
  ['256 leaves', leaves, leaves],
  ['256 nested leaves', { deep: leaves }, prefixKeys('deep.', leaves)],
  ['a key of 256 bytes', { ['ä'.repeat(128)]: 1 }, { ['ä'.repeat(128)]: '1' }],
  ['a value of 16 KiB', { v: 'x'.repeat(16_384) }, { v: 'x'.repeat(16_384) }],
  ['empty keys', { '': 1, a: { '': 2 } }, { '': '1', 'a.': '2' }],
  ['a path spelled twice, of which the last counts', { 'a.b': 1, a: { b: 2 } }, { 'a.b': '2' }],
  ['a nested path spelled twice', { x: { 'a.b': 1, a: { b: 2 } } }, { 'x.a.b': '2' }],
  ['a path spelled twice, nested first', { a: { b: 1 }, 'a.b': 2 }, { 'a.b': '2' }],
];

function prefixKeys(prefix: string, object: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [prefix + key, value]));
}

const timestamps: readonly [title: string, timestamp: string | number, micros: number][] = [
  ['microseconds', '2026-01-02T03:04:05.123456Z', Date.UTC(2026, 0, 2, 3, 4, 5) * 1000 + 123_456],
  ['nanoseconds', '2026-01-02T03:04:05.123456999Z', Date.UTC(2026, 0, 2, 3, 4, 5) * 1000 + 123_456],
  ['tenths', '2026-01-02T03:04:05.1Z', Date.UTC(2026, 0, 2, 3, 4, 5) * 1000 + 100_000],
  ['an offset', '2026-01-02T03:04:05+02:30', Date.UTC(2026, 0, 2, 0, 34, 5) * 1000],
  ['an offset west of UTC', '2026-01-01T23:30:00-01:00', Date.UTC(2026, 0, 2, 0, 30) * 1000],
  ['small letters', '2026-01-02t03:04:05z', Date.UTC(2026, 0, 2, 3, 4, 5) * 1000],
  ['a leap day', '2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29) * 1000],
  ['a leap second', '2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1) * 1000 - 1],
  ['milliseconds', 1_767_323_045_123, 1_767_323_045_123_000],
  ['fractions of milliseconds', 1_767_323_045_123.25, 1_767_323_045_123_250],
  ['the start of 1970', 0, 0],
  ['nearly a day ahead', now + dayMs - 60_000, (now + dayMs - 60_000) * 1000],
];

const acceptances: readonly Acceptance[] = [
  ...plain,
  ...metadata.map(
    ([title, given, stored]) => [`metadata: ${title}`, { metadata: given }, { metadata: stored }] as const,
  ),
  ...timestamps.map(
    ([title, timestamp, micros]) =>
      [`timestamp: ${title}`, { timestamp }, { timestampMicros: micros }] as const,
  ),
];

for (const [title, fields, stored] of acceptances) {
  test(`accepts ${title}`, async () => {
    assert.deepEqual(await store(fields, Object.keys(stored)), stored);
  });
}

test('accepts __proto__ and similar names as ordinary keys', async () => {
  const sent = '{"__proto__":{"polluted":1},"constructor":"c","toString":2}';
  const body = `[{"level":"info","message":"fine","__proto__":{"level":"x"},"metadata":${sent}}]`;
  const expected = { '__proto__.polluted': '1', constructor: 'c', toString: '2' };
  assert.deepEqual((await store(body, ['metadata'])).metadata, expected);
  const flat = '[{"level":"info","message":"fine","metadata":{"__proto__":"p"}}]';
  assert.deepEqual((await store(flat, ['metadata'])).metadata, JSON.parse('{"__proto__":"p"}'));
});

test('accepts synonyms of levels where they are allowed', async () => {
  const deps = { ...opened.deps, levelSynonyms: new Map([['fatal', 'error']] as const) };
  await ingestLogs(deps, makeRequest([{ ...good, level: 'Fatal' }]));
  assert.equal((await opened.takeRows())[0]?.level, 'error');
});

test('accepts a byte order mark', async () => {
  await ingestLogs(opened.deps, makeRequest(`\ufeff${JSON.stringify([good])}`));
  assert.equal((await opened.takeRows()).length, 1);
});

test('a batch of 10,000 keeps its order, even when all times are equal', async () => {
  const items = Array.from({ length: 10_000 }, (_, index) => ({ level: 'info', message: String(index) }));
  for (const timestamp of [undefined, now]) {
    await ingestLogs(opened.deps, makeRequest(items.map(item => ({ ...item, timestamp }))));
    const rows = await opened.takeRows();
    const sorted = rows.toSorted((one, other) => (one.traceId < other.traceId ? -1 : 1));
    assert.deepEqual(
      sorted.map(row => row.message),
      items.map(item => item.message),
    );
    assert.equal(new Set(rows.map(row => row.traceId)).size, rows.length);
    for (const row of rows) assert.match(row.traceId, /^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  }
});

test('a bad entry discards its whole request, and leaves the rest of the group intact', async () => {
  const bad = { ...good, metadata: { half: 1, bad: 'x'.repeat(20_000) } };
  const requests = Array.from({ length: 40 }, (_, index) =>
    ingestLogs(opened.deps, makeRequest([good, index % 2 === 0 ? good : bad])).then(
      () => 'ok',
      () => 'refused',
    ),
  );
  const outcomes = await Promise.all(requests);
  assert.deepEqual(
    outcomes,
    outcomes.map((_, index) => (index % 2 === 0 ? 'ok' : 'refused')),
  );
  const rows = await opened.takeRows();
  assert.equal(rows.length, 40);
  for (const row of rows) assert.deepEqual(row.metadata, {});
});
