/** Deletes log entries past the retention of their dataset, and those of deleted projects. */
import type { DatasetRetention, LogRemovals } from '../ports/logQueries.ts';
import type { MetadataStore } from '../ports/metadata.ts';

type LogExpiryDeps = { logRemovals: LogRemovals; store: Pick<MetadataStore, 'read'> };
type LogExpiryRun = { now: number; dryRun: boolean; signal: AbortSignal };
export type DatasetExpiry = { project: string; dataset: string; entries: number };

/** Drops entries that have expired by `now`, in all datasets with a retention. */
export async function dropExpiredLogs(
  deps: LogExpiryDeps,
  { now, signal }: Omit<LogExpiryRun, 'dryRun'>,
): Promise<void> {
  const retentions = await listLogRetentions(deps);
  if (retentions.length === 0) return;
  await deps.logRemovals.dropExpired(retentions, { nowMs: now, isDryRun: false, signal });
}

/** Like `dropExpiredLogs`, but counts entries by dataset; with `dryRun` only counts. Leaves out datasets with nothing due. */
export async function expireLogs(
  deps: LogExpiryDeps,
  { now, dryRun, signal }: LogExpiryRun,
): Promise<DatasetExpiry[]> {
  const due: DatasetExpiry[] = [];
  const expiry = { nowMs: now, isDryRun: true, signal };
  for (const retention of await listLogRetentions(deps)) {
    const entries = await deps.logRemovals.dropExpired([retention], expiry);
    if (entries > 0) due.push({ project: retention.project, dataset: retention.dataset, entries });
  }
  if (!dryRun && due.length > 0) await dropExpiredLogs(deps, { now, signal });
  return due;
}

/** Deletes entries of deleted projects, because callers can no longer do so. */
export async function removeLogsOfDeletedProjects(deps: LogExpiryDeps, signal: AbortSignal): Promise<number> {
  const projects = await deps.store.read.projects.listDeleted();
  return await deps.logRemovals.deleteProjects(
    projects.map(({ slug }) => slug),
    signal,
  );
}

export async function listLogRetentions({
  store,
}: Pick<LogExpiryDeps, 'store'>): Promise<DatasetRetention[]> {
  const projects = await store.read.projects.list();
  return projects.flatMap(({ slug: project, logRetention }) =>
    Object.entries(logRetention).map(([dataset, days]) => ({ project, dataset, days })),
  );
}
