/**
 * Keeps sums of the subjects that projects have confirmed, so that a subject's page need not read entries that lie far apart, and has their
 * lists in memory before somebody opens them.
 */
import { Failure } from '@tapedeck/values/failure';
import type { Clock } from '../ports/clock.ts';
import type { LogQueries } from '../ports/logQueries.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import { prepareList } from './searching.ts';

type SummingDeps = {
  logQueries: Pick<LogQueries, 'keepSums' | 'listSubjects'>;
  store: Pick<MetadataStore, 'read' | 'files'>;
  clock: Clock;
};

const restMs = 600_000; // an engine that refuses, as with a full disk, needs somebody's help

/** Entries that cannot be queried cannot be summed up either. */
export function makeSubjectSumming({ logQueries, store, clock }: SummingDeps) {
  let restsUntil = 0;
  return async (stopped: AbortSignal): Promise<void> => {
    if (clock.now() < restsUntil) return;
    const projects = await store.read.projects.list();
    const kinds = projects.flatMap(({ slug: project, subjects }) =>
      subjects.map(({ idPaths, namePaths }) => ({ project, paths: { idPaths, namePaths } })),
    );
    try {
      const added = await logQueries.keepSums(kinds, stopped);
      for (const kind of added) await prepareList({ logQueries, files: store.files }, kind, stopped);
    } catch (error) {
      if (error instanceof Failure && error.code === 'engine_unavailable') return;
      restsUntil = clock.now() + restMs;
      throw error;
    }
  };
}
