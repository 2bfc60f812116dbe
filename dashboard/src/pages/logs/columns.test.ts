/** Tests that column names survive in the address, whatever characters they contain. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  listEntryFields,
  moveColumn,
  readColumns,
  readField,
  toggleColumn,
  writeColumns,
} from './columns.ts';

const entry = {
  traceId: '0192e4b2a0007abc8def0123456789ab',
  parentId: '',
  timestamp: '2026-01-02T03:04:05.000000Z',
  dataset: 'game',
  level: 'info',
  resource: '',
  body: 'Bread sold',
  pattern: '0000000000000001',
  metadata: { 'player.id': '43', level: 'deep', '': 'no name' },
} as const;

test('writes names so that they can be parsed again', () => {
  for (const names of [[], ['player.id'], ['a,b', '100%', '%2C', 'ü'], ['metadata.level', 'resource']]) {
    assert.deepEqual(readColumns(writeColumns(names)), names);
  }
  assert.deepEqual(readColumns(' a,,a, b ,%'), ['a', 'b', '%']);
  assert.equal(readColumns(Array.from({ length: 50 }, (_, index) => `c${index}`).join(',')).length, 12);
});

test('adds a column at the end, removes it, and replaces another', () => {
  assert.equal(toggleColumn(undefined, 'a'), 'a');
  assert.equal(toggleColumn('a,b', 'c'), 'a,b,c');
  assert.equal(toggleColumn('a,b', 'a'), 'b');
  assert.equal(toggleColumn('a', 'a'), undefined);
  for (const [name, to, columns] of [
    ['a', 2, 'b,c,a'],
    ['c', 0, 'c,a,b'],
    ['b', 9, 'a,c,b'],
    ['b', -1, 'b,a,c'],
    ['x', 0, 'a,b,c'],
  ] as const) {
    assert.equal(moveColumn('a,b,c', name, to), columns);
  }
});

test('fields of every entry and of metadata are told apart', () => {
  assert.equal(readField(entry, 'level'), 'info');
  assert.equal(readField(entry, 'metadata.level'), 'deep');
  assert.equal(readField(entry, 'player.id'), '43');
  assert.equal(readField(entry, 'resource'), undefined);
  assert.equal(readField(entry, 'nothing'), undefined);
  const names = listEntryFields(entry).map(({ name }) => name);
  assert.deepEqual(names, ['level', 'dataset', 'player.id', 'metadata.level']);
});
