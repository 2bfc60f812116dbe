/** Handles the dataset management routes. */

import * as contract from '@tapedeck/contract/datasets';
import * as datasets from '@tapedeck/domain/logs/datasets';
import type { LogRemovals } from '@tapedeck/domain/ports/logQueries';
import { getProject } from '@tapedeck/domain/projects/projects';
import { formatMicros } from '@tapedeck/log-entries';
import type { Static } from 'typebox';
import { type HandledRoute, handle, signalOf } from '../routing.ts';

export type DatasetRouteDeps = datasets.DatasetDeps & datasets.DeletionDeps & { logRemovals: LogRemovals };

export function handleDatasets(deps: DatasetRouteDeps): HandledRoute[] {
  return [
    handle(contract.listManagedDatasets, async ({ params, reply }) => {
      const project = await getProject(deps, params.project);
      const found = await datasets.listManagedDatasets(deps, project, signalOf(reply));
      return { datasets: found.map(writeDataset) };
    }),
    handle(contract.updateDataset, async ({ params, body, caller }) => {
      const { project, dataset } = params;
      const days = body.retentionDays;
      await datasets.setDatasetRetention(deps, caller, { project, dataset, days });
      return { dataset: { name: dataset, retentionDays: days } };
    }),
    handle(contract.deleteDataset, async ({ params, query, caller }) => {
      const isDryRun = query.dryRun ?? false;
      const deleted = await datasets.deleteDataset(deps, caller, { ...params, isDryRun });
      return { ...deleted, dryRun: isDryRun };
    }),
  ];
}

/** Describes a dataset as lists show it. */
export function writeDataset(dataset: datasets.ManagedDataset): Static<typeof contract.DatasetRecord> {
  const { name, entries, bytes, retentionDays, lastEntryMicros } = dataset;
  const lastEntryAt = lastEntryMicros === null ? null : formatMicros(lastEntryMicros);
  return { name, entries, bytes, retentionDays, lastEntryAt };
}
