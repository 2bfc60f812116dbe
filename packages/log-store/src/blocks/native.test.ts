/** This service and ClickHouse read encoded blocks back unchanged. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LogRow, logLevels } from '@tapedeck/log-entries';
import { findPattern } from '@tapedeck/log-patterns';
import fc from 'fast-check';
import { decodeBlock } from '../../tests/nativeReading.ts';
import {
  appendLeaf,
  appendRow,
  appendTarget,
  createColumns,
  cutColumns,
  encodeBlock,
  type LogColumns,
  markColumns,
  resetColumns,
} from './native.ts';
import { mergeBlocks } from './nativeMerging.ts';

type Entry = LogRow & { metadata: Record<string, string> };

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ minLength: 120, maxLength: 140 }),
  fc.string({ unit: fc.constantFrom('a', 'ß', '漢', '🎮', '\0'), minLength: 30, maxLength: 150 }),
);

const entry: fc.Arbitrary<Entry> = fc.record({
  timestampMicros: fc.integer({ min: 0, max: 4_000_000_000_000_000 }),
  identityHigh: fc.integer({ min: 0x80000000, max: 0xbfffffff }),
  identityLow: fc.integer({ min: 0, max: 0xffffffff }),
  level: fc.constantFrom(...logLevels),
  message: text,
  resource: text,
  parentId: text,
  metadata: fc.dictionary(fc.oneof(text, fc.constant('__proto__')), text, { maxKeys: 5 }),
});

function appendEntry(columns: LogColumns, one: Entry): void {
  for (const [path, value] of Object.entries(one.metadata)) appendLeaf(columns, path, value);
  appendRow(columns, one);
}

/** Spells the traceId of an entry as CONTRACT.md, 4.1 says: UUIDv7 layout with microseconds. */
function spellTraceId({ timestampMicros, identityHigh, identityLow }: LogRow): string {
  const millis = Math.floor(timestampMicros / 1000);
  const spell = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
  return `${spell(millis, 12)}7${spell(timestampMicros % 1000, 3)}${spell(identityHigh, 8)}${spell(identityLow, 8)}`;
}

test('reads back what was encoded', () => {
  const columns = createColumns();
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 30 }), entries => {
      resetColumns(columns);
      for (const one of entries) appendEntry(columns, one);
      appendTarget(columns, { project: 'arena', dataset: 'game-ß', retentionDays: 30 }, entries.length);
      const decoded = [...decodeBlock(Buffer.concat(encodeBlock(columns)))];
      const expected = entries.map(one => ({
        ...one,
        metadata: { ...one.metadata },
        project: 'arena',
        dataset: 'game-ß',
        traceId: spellTraceId(one),
        pattern: findPattern(one.message).pattern,
      }));
      assert.deepEqual(decoded, expected);
    }),
  );
});

test('merged blocks hold the rows of all blocks in order', () => {
  const columns = createColumns();
  const batch = fc.array(entry, { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.array(batch, { minLength: 1, maxLength: 8 }), batches => {
      const blocks = batches.map((entries, index) => {
        resetColumns(columns);
        for (const one of entries) appendEntry(columns, one);
        appendTarget(columns, { project: `p${index}`, dataset: 'd', retentionDays: index }, entries.length);
        return Buffer.concat(encodeBlock(columns));
      });
      const expected = blocks.flatMap(block => [...decodeBlock(block)]);
      assert.deepEqual([...decodeBlock(mergeBlocks(blocks))], expected);
    }),
  );
});

test('cutting leaves no trace of the rows after the mark', () => {
  const columns = createColumns();
  const rows = fc.array(entry, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(rows, rows, (kept, cut) => {
      resetColumns(columns);
      for (const one of kept) appendEntry(columns, one);
      appendTarget(columns, { project: 'p', dataset: 'd', retentionDays: null }, kept.length);
      const before = Buffer.concat(encodeBlock(columns));
      const mark = markColumns(columns);
      for (const one of cut) appendEntry(columns, one);
      appendLeaf(columns, 'half', 'done');
      cutColumns(columns, mark);
      assert.ok(before.equals(Buffer.concat(encodeBlock(columns))));
    }),
  );
});

test('lone surrogates become U+FFFD', () => {
  const columns = createColumns();
  const [sample] = fc.sample(entry, 1);
  appendEntry(columns, { ...sample!, message: 'a\ud800b', metadata: { 'k\udc00': '\ud83c' } });
  appendTarget(columns, { project: 'p', dataset: 'd', retentionDays: null }, 1);
  const [decoded] = [...decodeBlock(Buffer.concat(encodeBlock(columns)))];
  assert.equal(decoded?.message, 'a\ufffdb');
  assert.deepEqual(decoded?.metadata, { 'k\ufffd': '\ufffd' });
});
