/** Columns of the list of datasets. */
import { Link } from '@tanstack/react-router';
import type { Role } from '@tapedeck/client';
import { countThings, formatCount } from '../../format/numbers.ts';
import { formatBytes } from '../../format/sizes.ts';
import type { Dataset } from '../../queries/datasets.ts';
import { isRoleAtLeast } from '../../roles.ts';
import { Button } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';

type ColumnDeps = {
  project: string;
  role: Role;
  onKeep: (dataset: Dataset) => void;
  onDelete: (dataset: Dataset) => void;
};

export function makeDatasetColumns(deps: ColumnDeps): readonly Column<Dataset>[] {
  const columns: Column<Dataset>[] = [
    {
      id: 'name',
      title: 'Name',
      cell: ({ name }) => (
        <Link
          to="/projects/$project/logs"
          params={{ project: deps.project }}
          search={{ dataset: name, range: 'all' }}
          className="inline-block min-h-[24px] min-w-[24px] font-medium underline decoration-edge underline-offset-3 hover:decoration-ink"
        >
          {name}
        </Link>
      ),
      sortBy: ({ name }) => name,
    },
    {
      id: 'entries',
      title: 'Entries',
      cell: ({ entries }) => <span className="tabular-nums">{formatCount(entries)}</span>,
      sortBy: ({ entries }) => entries,
    },
    {
      id: 'bytes',
      title: 'Size',
      cell: ({ bytes }) => <span className="whitespace-nowrap tabular-nums">{formatBytes(bytes)}</span>,
      sortBy: ({ bytes }) => bytes,
    },
    {
      id: 'kept',
      title: 'Kept',
      cell: ({ retentionDays }) =>
        retentionDays === null ? (
          <span className="text-muted">forever</span>
        ) : (
          countThings(retentionDays, 'day')
        ),
      sortBy: ({ retentionDays }) => retentionDays ?? Number.MAX_SAFE_INTEGER,
    },
    {
      id: 'last',
      title: 'Last entry',
      cell: ({ lastEntryAt }) =>
        lastEntryAt ? <Timestamp at={lastEntryAt} /> : <span className="text-muted">none</span>,
      sortBy: ({ lastEntryAt }) => lastEntryAt ?? '',
    },
  ];
  if (isRoleAtLeast(deps.role, 'admin'))
    columns.push({ id: 'actions', title: '', cell: dataset => <Actions dataset={dataset} {...deps} /> });
  return columns;
}

function Actions({ dataset, onKeep, onDelete }: { dataset: Dataset } & ColumnDeps) {
  return (
    <>
      <Button
        look="quiet"
        size="small"
        aria-label={`Retention of ${dataset.name}`}
        onClick={() => onKeep(dataset)}
      >
        Retention
      </Button>
      <Button
        look="quiet"
        size="small"
        aria-label={`Delete ${dataset.name}`}
        onClick={() => onDelete(dataset)}
      >
        Delete
      </Button>
    </>
  );
}
