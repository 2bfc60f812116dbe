/** Tests the dashboard's wording of instants, sizes and browsers, and which form field an error belongs to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@tapedeck/client';
import { placeErrors } from './fieldErrors.ts';
import { formatBytes, formatLimit, joinSize, splitSize } from './sizes.ts';
import { formatDayTime, formatRelative, formatSpan } from './times.ts';
import { describeUserAgent } from './userAgents.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

for (const [at, words] of [
  ['2026-03-01T11:59:30Z', 'just now'],
  ['2026-03-01T11:57:10Z', '2 minutes ago'],
  ['2026-03-01T09:00:00Z', '3 hours ago'],
  ['2026-02-27T13:00:00Z', '1 day ago'],
  ['2026-03-31T12:00:01Z', 'in 1 month'],
  ['2026-03-01T12:00:20Z', 'in a moment'],
  ['2026-03-01T12:59:30Z', 'in 1 hour'],
  ['2026-03-08T11:59:00Z', 'in 7 days'],
  ['2026-03-08T02:00:00Z', 'in 7 days'],
  ['2028-03-01T12:00:00Z', 'in 2 years'],
] as const) {
  test(`formats ${at} as ${words}`, () => assert.equal(formatRelative(at, now), words));
}

// Uses the browser's own zone, and American English: Node's default if no language is set.
for (const [at, words] of [
  ['2026-02-28T11:00:07', 'Feb 28, 11:00:07 AM'],
  ['2025-12-31T23:59:59', 'Dec 31, 2025, 11:59:59 PM'],
] as const) {
  test(`formats ${at} in 2026 as ${words}`, () => assert.equal(formatDayTime(at, { now }), words));
}

for (const [from, to, words] of [
  ['2026-02-28T11:00:07', '2026-02-28T12:30:00', 'Feb 28, 11:00:07 AM to 12:30:00 PM'],
  ['2025-12-31T11:00:07', '2025-12-31T12:30:00', 'Dec 31, 2025, 11:00:07 AM to 12:30:00 PM'],
  ['2025-12-31T11:00:07', '2026-01-01T12:30:00', 'Dec 31, 2025, 11:00:07 AM to Jan 1, 12:30:00 PM'],
] as const) {
  test(`formats a time span as ${words}`, () => assert.equal(formatSpan(from, to, { now }), words));
}

for (const [bytes, words, amount] of [
  [0, '0 B', '0'],
  [1, '1 B', '1'],
  [1_000, '1000 B', '1000'],
  [1_500, '1.47 KiB', '1.465'],
  [512_000, '500 KiB', '500'],
  [2 ** 20 - 1, '1024 KiB', '1023.999'],
  [500_000_000, '476.84 MiB', '476.837'],
  [1.125 * 2 ** 30, '1.13 GiB', '1.125'],
  [53_687_091_200, '50 GiB', '50'],
  [2_500_000_000_000, '2.28 TiB', '2.274'],
] as const) {
  test(`formats ${bytes} bytes as ${words}, and as ${amount} in a field that loses none of them`, () => {
    assert.equal(formatLimit(bytes), words);
    const typed = splitSize(bytes);
    assert.equal(typed.amount, amount);
    assert.equal(joinSize(typed, bytes), bytes);
  });
}

for (const [amount, unit, savedBytes, bytes] of [
  ['12', 'B', null, 12],
  ['1.5', 'KiB', null, 1_536],
  ['1.465', 'KiB', 1_500, 1_500],
  ['500', 'MiB', null, 500 * 2 ** 20],
  ['476.837', 'MiB', null, 499_999_834],
  ['476.837', 'GiB', 500_000_000, 511_999_830_131],
  ['476.838', 'MiB', 500_000_000, 500_000_883],
  ['476.8370', 'MiB', 500_000_000, 500_000_000],
] as const) {
  test(`reads ${amount} ${unit} as ${bytes} bytes where ${savedBytes ?? 'none'} were saved`, () =>
    assert.equal(joinSize({ amount, unit }, savedBytes), bytes));
}

for (const [bytes, size, limit] of [
  [0, '0 B', '0 B'],
  [1_023, '1023 B', '1023 B'],
  [1_024, '1 KiB', '1 KiB'],
  [32 * 2 ** 20, '32 MiB', '32 MiB'],
  [32 * 2 ** 20 + 1, '32 MiB', '32.01 MiB'],
  [3 * 2 ** 50, '3072 TiB', '3072 TiB'],
] as const) {
  test(`formats ${bytes} bytes as ${size}, and as ${limit} when compared with a limit`, () => {
    assert.deepEqual([formatBytes(bytes), formatLimit(bytes)], [size, limit]);
  });
}

for (const [header, words] of [
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0',
    'Edge on Windows',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1 Version/19.0 Safari/604.1',
    'Safari on iPhone',
  ],
  ['curl/8.9.1', 'curl'],
  ['', 'Unknown program'],
] as const) {
  test(`describes the user agent of a session as ${words}`, () =>
    assert.equal(describeUserAgent(header), words));
}

const fields = ['name', 'email'] as const;
const codes = { name_taken: 'email' } as const;

for (const row of [
  {
    name: 'shows an error about a field at that field',
    error: new ApiError({ status: 400, code: 'invalid_field', field: 'name' }, 'Say more.'),
    at: 'name',
  },
  {
    name: 'shows an error about a nested value at its field',
    error: new ApiError({ status: 400, code: 'invalid_field', field: 'email.0.host' }, 'Too long.'),
    at: 'email',
  },
  {
    name: 'shows an error about a field that the form lacks above the form',
    error: new ApiError({ status: 400, code: 'invalid_field', field: 'slug' }, 'name is not a slug.'),
    at: null,
  },
  {
    name: 'shows an error with a known code at the field of that code',
    error: new ApiError({ status: 409, code: 'name_taken' }, 'Taken.'),
    at: 'email',
  },
  {
    name: 'shows any other error above the form',
    error: new ApiError({ status: 0, code: 'unreachable' }, 'Not reached.'),
    at: null,
  },
] as const) {
  test(row.name, () => {
    const placed = placeErrors(row.error, fields, codes);
    for (const field of fields) assert.equal(placed.at(field), field === row.at ? row.error.message : null);
    assert.equal(placed.rest, row.at === null ? row.error.message : null);
  });
}
