/** Queries the files of an entry's subjects from about the same moment. */

import type { LogEntry } from '../../../queries/logs.ts';
import type { SubjectKind } from '../../../queries/subjects.ts';
import { composeIdsQuery, hold } from '../../players/subjectQuestion.ts';

const momentMs = 60_000; // an upload arrives some seconds after the moment it shows

type Moment = { query: string; from: string; to: string };

/** Returns null if the entry names no subject. */
export function findMoment(
  kinds: readonly SubjectKind[],
  { metadata, timestamp }: Pick<LogEntry, 'metadata' | 'timestamp'>,
): Moment | null {
  const own = kinds.flatMap(({ idPaths }) =>
    idPaths.flatMap(path => (metadata[path] ? { path, id: metadata[path] } : [])),
  );
  if (own.length === 0) return null;
  // Files may have the ids at other paths.
  const elsewhere = kinds.flatMap(({ idPaths }) => {
    const ids = new Set(own.flatMap(({ path, id }) => (idPaths.includes(path) ? id : [])));
    return [...ids].flatMap(id => hold(idPaths, id));
  });
  const isNew = ({ path, id }: (typeof own)[number]) => metadata[path] !== id;
  const at = Date.parse(timestamp);
  const [from, to] = [new Date(at - momentMs), new Date(at + momentMs)];
  return {
    query: composeIdsQuery([...own, ...elsewhere.filter(isNew)]),
    from: from.toISOString(),
    to: to.toISOString(),
  };
}
