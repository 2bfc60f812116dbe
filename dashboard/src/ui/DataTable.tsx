/** A table with sortable columns. In narrow places each row becomes a card of labelled values. */
// biome-ignore-all lint/a11y/noRedundantRoles: browsers forget what a table is once its cells are laid out as blocks
import { type ReactNode, useMemo, useState } from 'react';
import { useRowFocus } from './hooks/useRowFocus.ts';
import { Icon } from './Icon.tsx';
import { pressColumn, type Sorting, sortRows } from './sorting.ts';

export type Column<Row> = {
  id: string;
  /** Empty for the column of row buttons. */
  title: string;
  cell: (row: Row) => ReactNode;
  /** If absent, users cannot sort by the column. */
  sortBy?: (row: Row) => string | number;
};

type DataTableProps<Row> = {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  rowId: (row: Row) => string;
};

export function DataTable<Row extends object>({ label, rows, columns, rowId }: DataTableProps<Row>) {
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const rowFocus = useRowFocus();
  const sortBy = columns.find(({ id }) => id === sorting?.column)?.sortBy;
  const isDescending = sorting?.isDescending ?? false;
  const sorted = useMemo(
    () => (sortBy === undefined ? rows : sortRows(rows, sortBy, isDescending)),
    [rows, sortBy, isDescending],
  );
  const press = ({ id, sortBy: read }: Column<Row>) => {
    const [example] = rows;
    if (read && example) setSorting(before => pressColumn(before, id, read(example)));
  };
  return (
    <div className="@container overflow-x-auto rounded-xl border border-line bg-panel shadow-panel">
      <table {...rowFocus} className="w-full text-sm @max-2xl:block" role="table" aria-label={label}>
        <thead className="border-b border-line @max-2xl:sr-only" role="rowgroup">
          <tr role="row">
            {columns.map(column => (
              <HeadCell
                key={column.id}
                title={column.title}
                sorted={sorting?.column === column.id && (isDescending ? 'desc' : 'asc')}
                onSort={column.sortBy ? () => press(column) : null}
              />
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line @max-2xl:block" role="rowgroup">
          {sorted.map(row => (
            <tr
              key={rowId(row)}
              role="row"
              className="transition-colors hover:bg-well/50 @max-2xl:grid @max-2xl:grid-cols-[minmax(0,1fr)_auto] @max-2xl:gap-1.5 @max-2xl:p-4"
            >
              {columns.map(column => (
                <BodyCell key={column.id} title={column.title}>
                  {column.cell(row)}
                </BodyCell>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type HeadCellProps = { title: string; sorted: false | 'asc' | 'desc'; onSort: (() => void) | null };

function HeadCell({ title, sorted, onSort }: HeadCellProps) {
  const order = sorted === 'asc' ? 'ascending' : 'descending';
  return (
    <th
      scope="col"
      role="columnheader"
      aria-sort={sorted ? order : undefined}
      className="h-10 px-4 text-left first:pl-5 last:pr-5"
    >
      {onSort ? (
        <button
          type="button"
          onClick={onSort}
          className="engraved inline-flex min-h-[24px] items-center gap-1 whitespace-nowrap hover:text-ink"
        >
          {title}
          <Icon
            name={sorted ? (sorted === 'asc' ? 'up' : 'down') : 'upDown'}
            className={`size-3 ${sorted ? 'text-accent' : 'opacity-45'}`}
          />
        </button>
      ) : (
        <span className="engraved">{title || <span className="sr-only">Actions</span>}</span>
      )}
    </th>
  );
}

/** In a card, a single button goes beside the name; several get their own row. */
const actionsLayout = `w-px text-right whitespace-nowrap @max-2xl:col-start-2 @max-2xl:row-start-1 @max-2xl:w-auto
  @max-2xl:has-[button~button]:col-span-2 @max-2xl:has-[button~button]:col-start-1 @max-2xl:has-[button~button]:row-start-auto`;
/** The first cell is the row's name, which may be one long word. */
const valueLayout = `first:wrap-anywhere @max-2xl:col-span-2 @max-2xl:grid @max-2xl:grid-cols-[6.5rem_minmax(0,1fr)] @max-2xl:items-baseline
  @max-2xl:gap-3 @max-2xl:first:block @max-2xl:first:col-span-1 @max-2xl:first:self-center`;

function BodyCell({ title, children }: { title: string; children: ReactNode }) {
  const layout = title === '' ? actionsLayout : valueLayout;
  return (
    <td
      role="cell"
      className={`px-4 py-3 align-middle first:pl-5 last:pr-5 @max-2xl:p-0! @max-2xl:has-[>div:empty]:hidden ${layout}`}
    >
      {title !== '' && (
        <span
          className="engraved hidden @max-2xl:inline @max-2xl:[td:first-child>&]:hidden"
          aria-hidden="true"
        >
          {title}
        </span>
      )}
      <div className="min-w-0 [td:first-child>&]:min-w-36">{children}</div>
    </td>
  );
}
