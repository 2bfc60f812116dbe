/** Queries the files of an entry's subjects from about the same moment. */

import type { LogEntry } from '../../../queries/logs.ts';
import type { SubjectKind } from '../../../queries/subjects.ts';
import { askAboutSubject } from '../../players/subjectQuestion.ts';

const momentMs = 60_000; // an upload arrives some seconds after what it shows

type Moment = { query: string; from: string; to: string };

/** null: the entry names no subject. */
export function askAboutMoment(
  kinds: readonly SubjectKind[],
  { metadata, timestamp }: LogEntry,
): Moment | null {
  const terms = kinds.flatMap(kind => {
    const ids = kind.idPaths.flatMap(path => metadata[path] ?? []).filter(id => id !== '');
    return [...new Set(ids)].map(id => askAboutSubject(kind, id));
  });
  if (terms.length === 0) return null;
  const at = Date.parse(timestamp);
  const [from, to] = [new Date(at - momentMs), new Date(at + momentMs)];
  return { query: terms.join(' OR '), from: from.toISOString(), to: to.toISOString() };
}
