/** Faulty batches are refused with clear sentences, and nothing of them is stored. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ErrorCode } from '@tapedeck/domain/vocabulary';
import { Failure } from '@tapedeck/values/failure';
import { ingestLogs, makeRequest, type OpenedIngest, openIngest } from '../../../tests/logs/ingestFixture.ts';
import type { EntryIntakeDeps } from '../entryIntake.ts';

const now = Date.now();
const dayMs = 86_400_000;
let opened: OpenedIngest;

before(async () => {
  opened = await openIngest();
});

after(async () => {
  await opened[Symbol.asyncDispose]();
});

type Sent = { body: unknown; deps?: Partial<EntryIntakeDeps> };

async function assertRefused(sent: Sent, code: ErrorCode, says: RegExp): Promise<void> {
  await assert.rejects(ingestLogs({ ...opened.deps, ...sent.deps }, makeRequest(sent.body)), error => {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, says);
    return true;
  });
  assert.deepEqual(await opened.takeRows(), []);
}

const good = { level: 'info', message: 'fine' };
const deepArray = '['.repeat(10_000) + ']'.repeat(10_000);
const surrogateInUtf8 = Buffer.from([0x5b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x5d]);

/** Their full paths take far more space than the request. */
const wideEntries = Array(600)
  .fill(JSON.stringify({ ...good, metadata: { ['k'.repeat(250)]: Array(256).fill(1) } }))
  .join();

const bodies: readonly [title: string, body: unknown, code: ErrorCode, says: RegExp][] = [
  ['a single object', good, 'bad_request', /array/],
  ['an empty array', [], 'bad_request', /at least one/],
  ['a string', '"text"', 'bad_request', /array/],
  ['null', 'null', 'bad_request', /array/],
  ['nothing', '', 'invalid_json', /JSON/],
  ['broken JSON', '[{"level":', 'invalid_json', /JSON/],
  ['a raw NUL byte', '[{"level":"info","message":"a\0b"}]', 'invalid_json', /JSON/],
  ['invalid UTF-8', Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), 'invalid_json', /UTF-8/],
  ['a surrogate in UTF-8', surrogateInUtf8, 'invalid_json', /UTF-8/],
  ['10,001 entries', Array(10_001).fill(good), 'bad_request', /10000/],
  ['10,000 levels of arrays', deepArray, 'invalid_field', /Entry 0: must be an object/],
  ['entries that take too much memory', `[${wideEntries}]`, 'body_too_large', /32 MiB/],
  ['the same with a trailing comma', `[${wideEntries},]`, 'invalid_json', /JSON/],
  ['a number among the entries', [good, 7], 'invalid_field', /Entry 1: must be an object/],
  ['null among the entries', [good, good, null], 'invalid_field', /Entry 2: must be an object/],
  ['a bad level after good ones', [good, { ...good, level: 'x' }], 'invalid_field', /Entry 1: level /],
  [
    'a lone surrogate in a message',
    String.raw`[{"level":"info","message":"a\ud800b"}]`,
    'invalid_field',
    /message .*half/,
  ],
  ['a lone surrogate in a resource', [{ ...good, resource: '\udfff' }], 'invalid_field', /resource .*half/],
  [
    'a lone surrogate in a key',
    [{ ...good, metadata: { a: { '\ud800': 1 } } }],
    'invalid_field',
    /metadata .*half/,
  ],
  [
    'a lone surrogate in a value',
    [{ ...good, metadata: { a: ['\udbff x'] } }],
    'invalid_field',
    /metadata\.a\.0 .*half/,
  ],
];

for (const [title, body, code, says] of bodies) {
  test(`${title}: ${code}`, () => assertRefused({ body }, code, says));
}

function nest(levels: number): unknown {
  let value: unknown = 'leaf';
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

function manyLeaves(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index]));
}

const longPath = { ['k'.repeat(200)]: { ['l'.repeat(56)]: 1 } };
const longValue = { a: { b: 'x'.repeat(16_385) } };

/** Each row replaces a field of a good entry. */
const fields: readonly [title: string, fields: Record<string, unknown>, says: RegExp][] = [
  ['no level', { level: undefined }, /level must be one of/],
  ['an unknown level', { level: 'fatal' }, /level must be one of/],
  ['a level in capitals', { level: 'INFO' }, /level must be one of/],
  ['a level that is a number', { level: 3 }, /level must be one of/],
  ['no message', { message: undefined }, /message must be a string/],
  ['a message that is an object', { message: {} }, /message must be a string/],
  ['a message of 64 KiB and a byte', { message: 'x'.repeat(65_537) }, /message .*65536 bytes/],
  ['a message too long in bytes', { message: 'ä'.repeat(32_769) }, /message .*65536 bytes/],
  ['a resource that is a number', { resource: 1 }, /resource must be a string/],
  ['a resource that is too long', { resource: 'x'.repeat(16_385) }, /resource .*16384 bytes/],
  ['a parentId that is an array', { parentId: [] }, /parentId must be a string/],
  ['metadata that is a string', { metadata: 'a' }, /metadata must be an object/],
  ['metadata that is an array', { metadata: [1] }, /metadata must be an object/],
  ['metadata of 21 levels', { metadata: nest(21) }, /20 levels/],
  ['metadata of 21 levels with dots', { metadata: { 'a.b': 1, c: nest(20) } }, /20 levels/],
  ['257 leaves', { metadata: manyLeaves(257) }, /256 values/],
  ['257 nested leaves', { metadata: { deep: manyLeaves(257) } }, /256 values/],
  ['a key of 257 bytes', { metadata: { ['k'.repeat(257)]: 1 } }, /key of more than 256 bytes/],
  ['a dotted path of 257 bytes', { metadata: longPath }, /key of more than 256 bytes/],
  ['a value of 16 KiB and a byte', { metadata: longValue }, /metadata\.a\.b .*16384 bytes/],
  ['a timestamp in words', { timestamp: 'yesterday' }, /timestamp must be/],
  ['a timestamp that is true', { timestamp: true }, /timestamp must be/],
  ['a date without a time', { timestamp: '2026-01-02' }, /timestamp must be/],
  ['30 February', { timestamp: '2026-02-30T00:00:00Z' }, /timestamp must be/],
  ['an hour of 24', { timestamp: '2026-02-01T24:00:00Z' }, /timestamp must be/],
  ['a leap second within a month', { timestamp: '2026-01-15T23:59:60Z' }, /timestamp must be/],
  ['a timestamp more than a day ahead', { timestamp: now + dayMs + 60_000 }, /day ahead/],
  ['a timestamp before 1970', { timestamp: -1 }, /before 1970/],
  ['a number that is not a time', { timestamp: 1e300 }, /day ahead/],
];

for (const [title, changes, says] of fields) {
  test(`${title}: 400`, () => assertRefused({ body: [{ ...good, ...changes }] }, 'invalid_field', says));
}

test('10,000 levels of metadata: 400', async () => {
  const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
  const body = `[{"level":"info","message":"","metadata":${deep}}]`;
  await assertRefused({ body }, 'invalid_field', /Entry 0: metadata .*20 levels/);
});

test('a timestamp older than the retention: 400', async () => {
  const body = [good, { ...good, timestamp: now - 31 * dayMs }];
  const deps = { readRetentionDays: () => 30 };
  await assertRefused({ body, deps }, 'invalid_field', /Entry 1: timestamp .*older/);
});
