/** Entries as lines of an export, and traceIds as they are put together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogEntry } from '../../ports/logQueries.ts';
import { csvHeader, formatCsvLine, formatNdjsonLine } from './export.ts';
import { composeTraceId, formatMicros, parseTraceId } from './traceIds.ts';

const timestampMicros = Date.UTC(2026, 0, 2, 3, 4, 5) * 1000 + 123_456;
const entry: LogEntry = {
  traceId: composeTraceId(timestampMicros, '9234567890abcdef'),
  parentId: '',
  timestampMicros,
  level: 'warn',
  resource: 'auth, main',
  body: 'He said "no"\r\nand left',
  metadata: { 'pos.x': '1', quote: '"' },
};

test('an NDJSON line is the entry as it is answered', () => {
  const line = formatNdjsonLine(entry);
  assert.equal(line.indexOf('\n'), line.length - 1);
  assert.deepEqual(JSON.parse(line), {
    traceId: '019b7ca98d0371c89234567890abcdef',
    parentId: '',
    timestamp: '2026-01-02T03:04:05.123456Z',
    level: 'warn',
    resource: 'auth, main',
    body: 'He said "no"\r\nand left',
    metadata: { 'pos.x': '1', quote: '"' },
  });
});

test('a CSV line has the columns of the header and quotes what needs it', () => {
  assert.equal(csvHeader, 'timestamp,level,resource,traceId,parentId,body,metadata\r\n');
  assert.equal(
    formatCsvLine(entry),
    '2026-01-02T03:04:05.123456Z,warn,"auth, main",019b7ca98d0371c89234567890abcdef,,' +
      '"He said ""no""\r\nand left","{""pos.x"":""1"",""quote"":""\\""""}"\r\n',
  );
});

test('a traceId is taken apart and put together again', () => {
  assert.deepEqual(parseTraceId(entry.traceId), { timestampMicros, identity: '9234567890abcdef' });
  assert.equal(formatMicros(timestampMicros), '2026-01-02T03:04:05.123456Z');
});

for (const text of [
  '',
  'x',
  '019b7ca98d0341c89234567890abcdef',
  '019b7ca98d0373e89234567890abcdef',
  `${entry.traceId}0`,
]) {
  test(`no entry has the traceId "${text}"`, () => assert.equal(parseTraceId(text), null));
}
