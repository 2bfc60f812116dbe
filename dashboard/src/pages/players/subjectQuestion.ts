/** Composes the query for a subject's entries and files. */
import { fileFieldNames, reservedNames } from '@tapedeck/log-query-language';
import type { Subject, SubjectKind } from '../../queries/subjects.ts';
import type { PlayerSearch } from './search.ts';

type AskedSubject = Pick<Subject, 'id' | 'otherIds' | 'identifiers'>;

/** The filters of the timeline, in the form that its route and the one for evidence take. */
export function askNarrowed(
  kind: SubjectKind,
  subject: AskedSubject,
  { resource, rows, from, to }: PlayerSearch,
): { query: string; kind?: 'entry' | 'file'; from?: string; to?: string } {
  const isType = rows !== undefined && rows !== 'entry' && rows !== 'file';
  const about = askAboutAll(kind, subject);
  const query = resource === undefined ? about : `${about} resource:${quote(resource)}`;
  return {
    query: isType ? `${query} type:${rows}` : query,
    ...(rows !== undefined && { kind: rows === 'entry' ? 'entry' : 'file' }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

const othersMax = 20; // a player with more of them is none

/** All ids of the subject, each at the paths that hold it. */
function askAboutAll({ idPaths }: SubjectKind, { id, otherIds = [], identifiers }: AskedSubject): string {
  const others = otherIds.slice(0, othersMax).flatMap(other => {
    const paths = identifiers.filter(({ value }) => value === other).map(({ path }) => path);
    return ask(paths.length === 0 ? idPaths : [...new Set(paths)], other);
  });
  return joinTerms([...ask(idPaths, id), ...others]);
}

/** The id at any of the paths of its kind. */
export function askAboutSubject({ idPaths }: SubjectKind, id: string): string {
  return joinTerms(ask(idPaths, id));
}

function ask(paths: readonly string[], id: string): string[] {
  return paths.map(path => `${namePath(path)}:${quote(id)}`);
}

function joinTerms(terms: readonly string[]): string {
  return terms.length === 1 ? terms.join() : `(${terms.join(' OR ')})`;
}

/** Adds the prefix to paths that are named like a field. */
function namePath(path: string): string {
  const isField = [...reservedNames, ...fileFieldNames].some(name => name === path);
  const name = isField || path.startsWith('metadata.') ? `metadata.${path}` : path;
  return /^[\w.]+$/.test(name) ? name : quote(name);
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, sign => `\\${sign}`)}"`;
}
