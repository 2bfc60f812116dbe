/** Composes the query for a subject's entries and files. */
import { fileFieldNames, reservedNames } from '@tapedeck/log-query-language';
import type { SubjectKind } from '../../queries/subjects.ts';

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
