/**
 * Keeps sums of the subjects that projects have confirmed, so that a subject's page need not read entries that lie far apart, and has their
 * lists in memory before somebody opens them.
 */
import { Failure } from '@tapedeck/values/failure';
import type { Clock } from '../ports/clock.ts';
import type { LogQueries } from '../ports/logQueries.ts';
import type { MetadataStore, Project } from '../ports/metadata.ts';
import { prepareList } from './searching.ts';

type SummingDeps = {
  logQueries: Pick<LogQueries, 'keepSums' | 'listSubjects'>;
  store: Pick<MetadataStore, 'files'>;
  access: { listProjects(): readonly Project[] };
  clock: Clock;
};

const roundIntervalMs = 45_000; // longer than a question may take: what was replaced a round before is read by none
const restMs = 600_000; // an engine that refuses, as with a full disk, needs somebody's help

/** Looks whether it is time for a round. Somebody who confirms a kind wants its pages at once, so that is. */
export function makeSubjectSumming({ logQueries, store, access, clock }: SummingDeps) {
  let nextAt = 0;
  let restsUntil = 0;
  let before = '';
  return async (stopped: AbortSignal): Promise<void> => {
    const now = clock.now();
    const kinds = listKinds(access.listProjects());
    const names = JSON.stringify(kinds);
    if (now < restsUntil || (now < nextAt && names === before)) return;
    nextAt = now + roundIntervalMs;
    before = names;
    try {
      const added = await logQueries.keepSums(kinds, stopped);
      for (const kind of added) await prepareList({ logQueries, files: store.files }, kind, stopped);
    } catch (error) {
      // Entries that cannot be queried cannot be summed up either.
      if (error instanceof Failure && error.code === 'engine_unavailable') return;
      restsUntil = clock.now() + restMs;
      throw error;
    }
  };
}

function listKinds(projects: readonly Project[]) {
  return projects.flatMap(({ slug: project, subjects }) =>
    subjects.map(({ idPaths, namePaths }) => ({ project, paths: { idPaths, namePaths } })),
  );
}
