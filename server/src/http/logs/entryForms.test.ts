/** Log entries as lines of an export. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { LogEntry } from '@tapedeck/domain/ports/logQueries';
import { composeTraceId } from '@tapedeck/log-entries';
import { csvHeader, formatCsvLine, formatNdjsonLine } from './entryForms.ts';

const timestampMicros = Date.UTC(2026, 0, 2, 3, 4, 5) * 1000 + 123_456;
const entry: LogEntry = {
  traceId: composeTraceId(timestampMicros, '9234567890abcdef'),
  parentId: '',
  timestampMicros,
  dataset: 'game',
  level: 'warn',
  resource: 'auth, main',
  body: 'He said "no"\r\nand left',
  pattern: '0123456789abcdef',
  metadata: { 'pos.x': '1', quote: '"' },
};

test('an NDJSON line is the entry as the API returns it', () => {
  const line = formatNdjsonLine(entry);
  assert.equal(line.indexOf('\n'), line.length - 1);
  assert.deepEqual(JSON.parse(line), {
    traceId: '019b7ca98d0371c89234567890abcdef',
    parentId: '',
    timestamp: '2026-01-02T03:04:05.123456Z',
    dataset: 'game',
    level: 'warn',
    resource: 'auth, main',
    body: 'He said "no"\r\nand left',
    pattern: '0123456789abcdef',
    metadata: { 'pos.x': '1', quote: '"' },
  });
});

test('a CSV line has the columns of the header and quotes values where needed', () => {
  assert.equal(csvHeader, 'timestamp,level,resource,traceId,parentId,body,metadata\r\n');
  assert.equal(
    formatCsvLine(entry),
    '2026-01-02T03:04:05.123456Z,warn,"auth, main",019b7ca98d0371c89234567890abcdef,,' +
      '"He said ""no""\r\nand left","{""pos.x"":""1"",""quote"":""\\""""}"\r\n',
  );
});

describe('a CSV cell', () => {
  const rows: readonly [cell: string, written: string][] = [
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ['=1+1', `"'=1+1"`],
    ['+1+1', `"'+1+1"`],
    ['-1+1', `"'-1+1"`],
    ["-2+3+cmd|' /C calc'!A0", `"'-2+3+cmd|' /C calc'!A0"`],
    ['@SUM(1)', `"'@SUM(1)"`],
    ['＝1+1', `"'＝1+1"`],
    ['＋1', `"'＋1"`],
    ['－1', `"'－1"`],
    ['＠SUM(1)', `"'＠SUM(1)"`],
    ['  =1', `"'  =1"`],
    ['\u00a0\u3000=1', `"'\u00a0\u3000=1"`],
    ['\ufeff\u200b=1', `"'\ufeff\u200b=1"`],
    ['\0\u0001=1', `"'\0\u0001=1"`],
    ['\t=1', `"'\t=1"`],
    ['\rtext', `"'\rtext"`],
    ['\n\n=1', `"'\n\n=1"`],
    ['-', `"'-"`],
    ['-5 apples', `"'-5 apples"`],
    ['-5', '-5'],
    ['+12.5', '"+12.5"'],
    ['-1e-9', '-1e-9'],
    ['a=1', '"a=1"'],
    ["'=1", `"'=1"`],
    [' text', '" text"'],
    ['player@example.org', '"player@example.org"'],
    ['', ''],
  ];
  for (const [cell, written] of rows) {
    it(`${JSON.stringify(cell)} is written as ${JSON.stringify(written)}, and unchanged in NDJSON`, () => {
      const held = { ...entry, resource: cell, parentId: cell, body: cell, metadata: {} };
      assert.equal(
        formatCsvLine(held),
        `2026-01-02T03:04:05.123456Z,warn,${written},019b7ca98d0371c89234567890abcdef,${written},${written},"{}"\r\n`,
      );
      assert.equal(JSON.parse(formatNdjsonLine(held)).body, cell);
    });
  }
});
