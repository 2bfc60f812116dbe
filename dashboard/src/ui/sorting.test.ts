/** Tests the order of rows, and the effect of each click on a column. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pressColumn, type Sorting, sortRows } from './sorting.ts';

for (const [about, values, isDescending, sorted] of [
  ['texts without regard to case', ['b', 'C', 'a'], false, ['a', 'b', 'C']],
  ['numbers in texts by their value', ['eu-10', 'eu-9'], false, ['eu-9', 'eu-10']],
  ['numbers', [9, 10, -1], false, [-1, 9, 10]],
  ['the largest first', [9, 10, -1], true, [10, 9, -1]],
  ['no rows', [], true, []],
] as const) {
  test(`sorts ${about}`, () =>
    assert.deepEqual(
      sortRows<string | number>(values, value => value, isDescending),
      sorted,
    ));
}

test('keeps the order of equal rows in both directions', () => {
  const rows = [
    { name: 'one', size: 1 },
    { name: 'two', size: 1 },
  ];
  for (const isDescending of [true, false])
    assert.deepEqual(
      sortRows(rows, ({ size }) => size, isDescending),
      rows,
    );
});

for (const [kind, example, orders] of [
  ['text', 'a', [false, true]],
  ['number', 1, [true, false]],
] as const) {
  test(`reverses and then clears the order on pressing a column of ${kind}s`, () => {
    let sorting: Sorting | null = { column: 'other', isDescending: true };
    for (const isDescending of orders) {
      sorting = pressColumn(sorting, 'column', example);
      assert.deepEqual(sorting, { column: 'column', isDescending });
    }
    assert.equal(pressColumn(sorting, 'column', example), null);
  });
}
