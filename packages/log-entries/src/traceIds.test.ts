/** Tests parsing and composing traceIds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composeTraceId, formatMicros, parseTraceId } from './traceIds.ts';

const timestampMicros = Date.UTC(2026, 0, 2, 3, 4, 5) * 1000 + 123_456;
const traceId = composeTraceId(timestampMicros, '9234567890abcdef');

test('splits a traceId and composes it again', () => {
  assert.deepEqual(parseTraceId(traceId), { timestampMicros, identity: '9234567890abcdef' });
  assert.equal(formatMicros(timestampMicros), '2026-01-02T03:04:05.123456Z');
});

for (const text of [
  '',
  'x',
  '019b7ca98d0341c89234567890abcdef',
  '019b7ca98d0373e89234567890abcdef',
  `${traceId}0`,
]) {
  test(`no entry has the traceId "${text}"`, () => assert.equal(parseTraceId(text), null));
}
