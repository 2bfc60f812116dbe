/** Log entries whose time has come, by the retention of their dataset, are let go here. */
import type { DatasetRetention, LogRemovals } from '../ports/logQueries.ts';
import type { MetadataStore } from '../ports/metadata.ts';

export type LogExpiryDeps = { logRemovals: LogRemovals; store: Pick<MetadataStore, 'read'> };
export type DatasetExpiry = { project: string; dataset: string; entries: number };

/** What every dataset that does not keep for ever lets go of at that time. */
export async function dropExpiredLogs(deps: LogExpiryDeps, now: number): Promise<void> {
  const retentions = await listLogRetentions(deps);
  if (retentions.length > 0) await deps.logRemovals.dropExpired(now, retentions, false);
}

/** The same, counted by dataset; with `dryRun` only counted. Datasets with nothing due are left out. */
export async function countExpiredLogs(
  deps: LogExpiryDeps,
  { now, dryRun }: { now: number; dryRun: boolean },
): Promise<DatasetExpiry[]> {
  const due: DatasetExpiry[] = [];
  for (const retention of await listLogRetentions(deps)) {
    const { entries } = await deps.logRemovals.dropExpired(now, [retention], true);
    if (entries > 0) due.push({ project: retention.project, dataset: retention.dataset, entries });
  }
  if (!dryRun && due.length > 0) await dropExpiredLogs(deps, now);
  return due;
}

export async function listLogRetentions({
  store,
}: Pick<LogExpiryDeps, 'store'>): Promise<DatasetRetention[]> {
  const projects = await store.read.projects.list();
  return projects.flatMap(({ slug: project, logRetention }) =>
    Object.entries(logRetention).map(([dataset, days]) => ({ project, dataset, days })),
  );
}
