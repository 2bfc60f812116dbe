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
  ['less than nothing', { 'retry-after': '-5' }, '', null],
  ['a body', {}, '{"message":"You are being rate limited.","retry_after":1.5,"global":false}', 1_500],
  ['a body that is broken', {}, '{"retry_after":1.5', null],
  ['a body with a text', {}, '{"retry_after":"1.5"}', null],
  ['a body that is null', {}, 'null "retry_after"', null],
  ['the longest of both', { 'retry-after': '2' }, '{"retry_after":3}', 3_000],
  ['a bucket', { 'x-ratelimit-reset-after': '1.2' }, '', 1_200],
  [
    'milliseconds beside a bucket',
    { 'retry-after': '1200', 'x-ratelimit-reset-after': '1.2' },
    '{"retry_after":1200}',
    1_200,
  ],
  ['a longer wait for all', { 'retry-after': '600', 'x-ratelimit-reset-after': '1' }, '', 600_000],
];

describe('when to come again', () => {
  for (const [name, headers, body, expected] of rows) {
    it(name, () => assert.equal(readRetryAfter(headers, body, now), expected));
  }
});
