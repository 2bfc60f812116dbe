/** Lists a project's datasets with size and retention. Users can change retention and delete datasets. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { type Dataset, datasetsQuery } from '../../queries/datasets.ts';
import { useProject } from '../../queries/projects.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { ConnectLink } from '../connect/ConnectLink.tsx';
import { makeDatasetColumns } from './columns.tsx';
import { DeleteDatasetDialog } from './DeleteDatasetDialog.tsx';
import { RetentionDialog } from './RetentionDialog.tsx';

export function DatasetsPage() {
  const { project: slug } = useParams({ from: '/inside/projects/$project/datasets' });
  const { role } = useProject(slug);
  const { data: datasets } = useSuspenseQuery(datasetsQuery(slug));
  const [keeping, setKeeping] = useState<Dataset | null>(null);
  const [deleting, setDeleting] = useState<Dataset | null>(null);
  const columns = useMemo(
    () => makeDatasetColumns({ project: slug, role, onKeep: setKeeping, onDelete: setDeleting }),
    [slug, role],
  );
  return (
    <>
      <PageHead
        title="Datasets"
        about="Datasets group log entries. A dataset is created by the first entry that names it."
      />
      {datasets.length === 0 ? (
        <EmptyState title="No datasets yet" action={<ConnectLink project={slug} />}>
          Send a log entry to create the first one. Entries that name no dataset go to “default”.
        </EmptyState>
      ) : (
        <DataTable label="Datasets" rows={datasets} columns={columns} rowId={dataset => dataset.name} />
      )}
      {keeping && <RetentionDialog project={slug} dataset={keeping} onClose={() => setKeeping(null)} />}
      <DeleteDatasetDialog project={slug} dataset={deleting} onClose={() => setDeleting(null)} />
    </>
  );
}
