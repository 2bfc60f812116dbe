/** Tests that tables are as wide as necessary, and that terminals obey nothing in them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printTable } from './index.ts';

test('makes columns as wide as their widest cell, without trailing spaces', () => {
  assert.equal(
    printTable(
      ['id', 'name'],
      [
        ['1', 'a'],
        ['1000', ''],
      ],
    ),
    'id    name\n1     a\n1000',
  );
});

test('shows control characters visibly', () => {
  assert.equal(printTable(['name'], [['red\u001b[31m\nline']]), 'name\nred\u{fffd}[31m\u{fffd}line');
});
