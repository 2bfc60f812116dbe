/** Manages a project's datasets: lists them with sizes, sets retention, deletes them. */
import { listChanged } from '@tapedeck/values/changed-fields';
import { type Actor, type Reader, requireRole } from '../identity/principals.ts';
import type { DatasetRetention, DatasetUsage, LogQueries, LogRemovals } from '../ports/logQueries.ts';
import type { Project } from '../ports/metadata.ts';
import { changeManaged, type ManagementDeps } from '../projects/auditedChanges.ts';
import { findLivingProject } from '../projects/projects.ts';
import { ServiceError } from '../vocabulary.ts';
import { findRetentionDays, requireDatasetName } from './datasetRules.ts';

export type ManagedDataset = Pick<DatasetUsage, 'name' | 'entries' | 'bytes'> & {
  retentionDays: number | null;
  /** Unix microseconds; null if there is no entry. */
  lastEntryMicros: number | null;
};

export type DatasetDeps = ManagementDeps & { logQueries: Pick<LogQueries, 'listDatasets'> };

type QueryDeps = Pick<DatasetDeps, 'logQueries'>;

/** Lists datasets with entries and those that only have a retention so far, by name. */
export async function listManagedDatasets(
  deps: QueryDeps,
  project: Project,
  signal: AbortSignal,
): Promise<ManagedDataset[]> {
  const filled = await listFilledDatasets(deps, project, signal);
  const names = new Set(filled.map(({ name }) => name));
  const empty = Object.entries(project.logRetention)
    .filter(([name]) => !names.has(name))
    .map(([name, retentionDays]) => ({ name, entries: 0, bytes: 0, retentionDays, lastEntryMicros: null }));
  return [...filled, ...empty].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Lists datasets with entries that the reader may read. */
export async function listReadableDatasets(
  deps: QueryDeps,
  { project, scopes: { datasets } }: Reader,
  signal: AbortSignal,
): Promise<ManagedDataset[]> {
  const filled = await listFilledDatasets(deps, project, signal);
  return filled.filter(({ name }) => datasets === null || datasets.has(name));
}

async function listFilledDatasets(
  { logQueries }: QueryDeps,
  project: Project,
  signal: AbortSignal,
): Promise<ManagedDataset[]> {
  const usages = await logQueries.listDatasets(project.slug, signal);
  return usages.map(({ lastEntryMicros, ...usage }) => ({
    ...usage,
    retentionDays: findRetentionDays(project, usage.name),
    lastEntryMicros: usage.entries === 0 ? null : lastEntryMicros,
  }));
}

/** null: forever. The retention also applies to stored entries. */
export async function setDatasetRetention(
  deps: ManagementDeps,
  actor: Actor,
  given: DatasetRetention,
): Promise<void> {
  const { project: slug, dataset, days } = given;
  requireDatasetName(dataset);
  requireRole(actor, slug, 'admin');
  await changeManaged(deps, actor, async ({ records, audit }) => {
    const project = await findLivingProject(records, slug);
    await records.projects.update({ ...project, logRetention: withRetention(project, dataset, days) });
    const retention = (of: number | null) => ({ retentionDays: of });
    const before = retention(project.logRetention[dataset] ?? null);
    const details = listChanged(before, retention(days), ['retentionDays']);
    if (details !== null) await audit({ project: slug, action: 'dataset.set', target: dataset, details });
  });
}

export type DatasetDeletion = { project: string; dataset: string; isDryRun: boolean };

export type DeletionDeps = {
  logQueries: Pick<LogQueries, 'listStored'>;
  logRemovals: Pick<LogRemovals, 'deleteDataset'>;
};

/**
 * Resolves to how many entries it deletes, or would delete. Writes the audit log first, so that an interrupted deletion is on record. Callers
 * can repeat it.
 */
export async function deleteDataset(
  deps: ManagementDeps & DeletionDeps,
  actor: Actor,
  { project: slug, dataset, isDryRun }: DatasetDeletion,
): Promise<{ entries: number; bytes: number }> {
  requireRole(actor, slug, 'admin');
  const project = await findLivingProject(deps.store.read, slug);
  // This signal never aborts: a deletion continues after the client has left.
  const logQueries = { listDatasets: deps.logQueries.listStored }; // stored entries can be deleted even if others are missing
  const datasets = await listManagedDatasets({ logQueries }, project, new AbortController().signal);
  const found = datasets.find(({ name }) => name === dataset);
  if (found === undefined) throw new ServiceError('not_found', 'There is no such dataset.');
  const { entries, bytes } = found;
  if (isDryRun) return { entries, bytes };
  await changeManaged(deps, actor, async ({ records, audit }) => {
    const current = await findLivingProject(records, slug);
    await records.projects.update({ ...current, logRetention: withRetention(current, dataset, null) });
    await records.logDeletions.record({ project: slug, dataset });
    await audit({ project: slug, action: 'dataset.delete', target: dataset, details: { entries, bytes } });
  });
  const deleted = await deps.logRemovals.deleteDataset({ project: slug, dataset });
  return { entries: deleted, bytes };
}

function withRetention(
  { logRetention }: Project,
  dataset: string,
  days: number | null,
): Project['logRetention'] {
  const others = Object.entries(logRetention).filter(([name]) => name !== dataset);
  return Object.fromEntries(days === null ? others : [...others, [dataset, days]]);
}
