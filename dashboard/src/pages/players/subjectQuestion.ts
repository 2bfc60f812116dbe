/** Composes the query for a subject's entries and files. */
import { fileFieldNames, reservedNames } from '@tapedeck/log-query-language';
import type { SubjectKind } from '../../queries/subjects.ts';
import type { PlayerSearch } from './search.ts';

/** What the timeline is narrowed to, as its route and that of evidence ask for it. */
export function askNarrowed(
  about: SubjectKind,
  id: string,
  { resource, rows, from, to }: PlayerSearch,
): { query: string; kind?: 'entry' | 'file'; from?: string; to?: string } {
  const isType = rows !== undefined && rows !== 'entry' && rows !== 'file';
  const query = askAboutSubject(about, id, resource);
  return {
    query: isType ? `${query} type:${rows}` : query,
    ...(rows !== undefined && { kind: rows === 'entry' ? 'entry' : 'file' }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

/** The id at any of the paths of its kind, and narrowed to a resource. */
export function askAboutSubject({ idPaths }: SubjectKind, id: string, resource?: string): string {
  const terms = idPaths.map(path => `${namePath(path)}:${quote(id)}`);
  const about = terms.length === 1 ? terms.join() : `(${terms.join(' OR ')})`;
  return resource === undefined ? about : `${about} resource:${quote(resource)}`;
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
