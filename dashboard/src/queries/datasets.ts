/** A project's datasets. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';
import { useChange } from './useChange.ts';

export type Dataset = Answer<'listManagedDatasets'>['datasets'][number];

export function datasetsQuery(project: string) {
  return queryOptions({
    queryKey: ['projects', project, 'datasets'],
    queryFn: async ({ signal }) =>
      (await api.listManagedDatasets({ params: { project } }, { signal })).datasets,
  });
}

/** Lists the datasets as options. Includes the chosen one even if it has no entries. */
export function listDatasetOptions(datasets: readonly Dataset[], chosen: string) {
  const names = new Set(datasets.map(({ name }) => name));
  if (chosen !== '') names.add(chosen);
  return [{ value: '', label: 'All datasets' }, ...[...names].map(name => ({ value: name, label: name }))];
}

export function useRetentionChange(project: string) {
  return useChange(
    ({ dataset, retentionDays }: { dataset: string; retentionDays: number | null }) =>
      api.updateDataset({ params: { project, dataset }, body: { retentionDays } }),
    datasetsQuery(project),
  );
}

/** Counts the entries older than the given days. */
export function agedEntriesQuery(project: string, dataset: string, days: number) {
  return queryOptions({
    queryKey: ['projects', project, 'datasets', dataset, 'aged', days],
    queryFn: async ({ signal }) => {
      const to = new Date(Date.now() - days * 86_400_000).toISOString();
      const query = { dataset, to, limit: 1, includeTotal: 'true' } as const;
      return (await api.queryProjectLogs({ params: { project }, query }, { signal })).pagination.total;
    },
    staleTime: 0,
  });
}

/** Counts what a deletion would remove. */
export function deletionQuery(project: string, dataset: string) {
  return queryOptions({
    queryKey: ['projects', project, 'datasets', dataset, 'deletion'],
    queryFn: ({ signal }) =>
      api.deleteDataset({ params: { project, dataset }, query: { dryRun: true } }, { signal }),
    staleTime: 0,
  });
}

export function useDatasetDeletion(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (dataset: string) => api.deleteDataset({ params: { project, dataset } }),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries(datasetsQuery(project)),
        queries.invalidateQueries({ queryKey: ['projects', project, 'usage'] }),
      ]),
  });
}
