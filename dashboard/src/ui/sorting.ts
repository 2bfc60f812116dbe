/** Sorts the rows of a table by one of its columns. */

export type Sorting = { column: string; isDescending: boolean };

type Value = string | number;

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Returns the order after a click: texts start ascending, numbers descending. The third click ends sorting. */
export function pressColumn(sorting: Sorting | null, column: string, example: Value): Sorting | null {
  const isLargestFirst = typeof example === 'number';
  if (sorting?.column !== column) return { column, isDescending: isLargestFirst };
  return sorting.isDescending === isLargestFirst ? { column, isDescending: !isLargestFirst } : null;
}

/** Keeps the order of equal rows. */
export function sortRows<Row>(
  rows: readonly Row[],
  read: (row: Row) => Value,
  isDescending: boolean,
): readonly Row[] {
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((one, other) => sign * compare(read(one), read(other)));
}

function compare(one: Value, other: Value): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return collator.compare(String(one), String(other));
}
