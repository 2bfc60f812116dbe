/**
 * Keeps sums of confirmed subjects, so that a subject's page does not read widely scattered entries, and loads subject lists into memory
 * before users open them.
 */
import { Failure } from '@tapedeck/values/failure';
import type { LogQueries } from '../ports/logQueries.ts';
import type { MetadataStore, Project } from '../ports/metadata.ts';
import { prepareList } from './subjectSearch.ts';

type SummingDeps = {
  logQueries: Pick<LogQueries, 'keepSums' | 'listSubjects'>;
  store: Pick<MetadataStore, 'files'>;
  access: { listProjects(): readonly Project[] };
};

const roundIntervalMs = 45_000; // longer than a query may take, so no query still reads what the previous round replaced
const restMs = 600_000; // a store that refuses, for example with a full disk, needs an operator

/** Runs a round when it is due, or at once after a kind was confirmed, because users want its pages immediately. */
export function makeSubjectSumming({ logQueries, store, access }: SummingDeps) {
  let nextAt = 0;
  let restsUntil = 0;
  let before = '';
  return async (stopped: AbortSignal): Promise<void> => {
    const now = performance.now(); // not the clock, which may be set back
    const kinds = listKinds(access.listProjects());
    const names = JSON.stringify(kinds);
    if (now < restsUntil || (now < nextAt && names === before)) return;
    nextAt = now + roundIntervalMs;
    before = names;
    try {
      const added = await logQueries.keepSums(kinds, stopped);
      for (const kind of added) await prepareList({ logQueries, files: store.files }, kind, stopped);
    } catch (error) {
      // While entries cannot be queried, they cannot be summed up.
      if (error instanceof Failure && error.code === 'engine_unavailable') return;
      restsUntil = performance.now() + restMs;
      throw error;
    }
  };
}

function listKinds(projects: readonly Project[]) {
  return projects.flatMap(({ slug: project, subjects }) =>
    subjects.map(({ idPaths, namePaths }) => ({ project, paths: { idPaths, namePaths } })),
  );
}
