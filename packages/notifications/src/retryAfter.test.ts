/** Tests the ways in which receivers ask to wait. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readRetryAfter } from './retryAfter.ts';

const now = Date.parse('2026-11-23T04:12:00Z');

const rows: [string, Record<string, string>, string, number | null][] = [
  ['nothing', {}, '', null],
  ['seconds', { 'retry-after': '7' }, '', 7_000],
  ['parts of seconds', { 'retry-after': '0.25' }, '', 250],
  ['a date', { 'retry-after': 'Mon, 23 Nov 2026 04:12:30 GMT' }, '', 30_000],
  ['a date that has passed', { 'retry-after': 'Mon, 23 Nov 2026 04:00:00 GMT' }, '', 0],
  ['no date', { 'retry-after': 'soon' }, '', null],
  ['a negative value', { 'retry-after': '-5' }, '', null],
  ['a body', {}, '{"message":"You are being rate limited.","retry_after":1.5,"global":false}', 1_500],
  ['a broken body', {}, '{"retry_after":1.5', null],
  ['a text body', {}, '{"retry_after":"1.5"}', null],
  ['a null body', {}, 'null "retry_after"', null],
  ['the longer of both', { 'retry-after': '2' }, '{"retry_after":3}', 3_000],
  ['a bucket', { 'x-ratelimit-reset-after': '1.2' }, '', 1_200],
  [
    'milliseconds beside a bucket',
    { 'retry-after': '1200', 'x-ratelimit-reset-after': '1.2' },
    '{"retry_after":1200}',
    1_200,
  ],
  ['a longer global limit', { 'retry-after': '600', 'x-ratelimit-reset-after': '1' }, '', 600_000],
];

describe('when to retry', () => {
  for (const [name, headers, body, expected] of rows) {
    it(name, () => assert.equal(readRetryAfter(headers, body, now), expected));
  }
});
