/** Log entries whose time has come, by the retention of their dataset, are let go here. */
import type { Clock } from '../ports/clock.ts';
import type { LogRemovals } from '../ports/logQueries.ts';
import type { MetadataStore } from '../ports/metadata.ts';

export type LogExpiryDeps = { logRemovals: LogRemovals; store: Pick<MetadataStore, 'read'>; clock: Clock };

export async function dropExpiredLogs({ logRemovals, store, clock }: LogExpiryDeps): Promise<void> {
  const projects = await store.read.projects.list();
  const retentions = projects.flatMap(({ slug: project, logRetention }) =>
    Object.entries(logRetention).map(([dataset, days]) => ({ project, dataset, days })),
  );
  if (retentions.length > 0) await logRemovals.dropExpired(clock.now(), retentions, false);
}
