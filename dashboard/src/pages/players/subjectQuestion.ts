/** Composes the query for a subject's entries and files. */
import { atomsMax, fileFieldNames, queryBytesMax, reservedNames } from '@tapedeck/log-query-language';
import type { Subject, SubjectKind } from '../../queries/subjects.ts';
import type { PlayerSearch } from './search.ts';

type AskedSubject = Pick<Subject, 'id' | 'idPaths' | 'otherIds' | 'identifiers'>;

/** Returns the timeline's filters as its route and the evidence route accept them. */
export function composeTimelineFilters(
  kind: SubjectKind,
  subject: AskedSubject,
  { resource, rows, from, to }: PlayerSearch,
): { query: string; kind?: 'entry' | 'file'; from?: string; to?: string } {
  const isType = rows !== undefined && rows !== 'entry' && rows !== 'file';
  const about = write(listHeld(kind, subject));
  const query = resource === undefined ? about : `${about} resource:${quote(resource)}`;
  return {
    query: isType ? `${query} type:${rows}` : query,
    ...(rows !== undefined && { kind: rows === 'entry' ? 'entry' : 'file' }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

const othersMax = 20; // no real player has more

/** Lists the subject's ids with their paths, up to a query's limit. */
function listHeld({ idPaths }: SubjectKind, subject: AskedSubject): readonly HeldId[] {
  const others = (subject.otherIds ?? []).slice(0, othersMax).flatMap(id => {
    const paths = subject.identifiers.filter(({ value }) => value === id).map(({ path }) => path);
    return hold(paths.length === 0 ? idPaths : [...new Set(paths)], id);
  });
  return fit([...hold(subject.idPaths, subject.id), ...others]);
}

/** Returns the ids in the timeline. */
export function listAskedIds(kind: SubjectKind, subject: AskedSubject): string[] {
  return [...new Set(listHeld(kind, subject).map(({ id }) => id))];
}

/** Composes a query for one id. */
export function composeIdQuery({ id, idPaths }: Pick<Subject, 'id' | 'idPaths'>): string {
  return composeIdsQuery(hold(idPaths, id));
}

type HeldId = { path: string; id: string };

export function hold(paths: readonly string[], id: string): HeldId[] {
  return paths.map(path => ({ path, id }));
}

/** Composes a query for any of the ids; the first ones if it has no room for all. */
export function composeIdsQuery(held: readonly HeldId[]): string {
  return write(fit(held));
}

const filterBytesMax = 512; // room for the timeline's filters
const filterAtomsMax = 4;

function fit(held: readonly HeldId[]): readonly HeldId[] {
  const paths = new Set<string>();
  let bytes = filterBytesMax;
  let count = 0;
  for (const one of held) {
    bytes += countBytes(write([one]) + between);
    paths.add(one.path);
    if (count > 0 && (bytes > queryBytesMax || paths.size > atomsMax - filterAtomsMax)) break;
    count++;
  }
  return held.slice(0, count);
}

const between = ' OR ';

/** Joins ids at the same path into one term. */
function write(held: readonly HeldId[]): string {
  const values = new Map<string, Set<string>>();
  for (const { path, id } of held) values.set(path, (values.get(path) ?? new Set()).add(quote(id)));
  const terms = [...values].map(([path, quoted]) => {
    const list = [...quoted].join(',');
    return `${namePath(path)}:${quoted.size === 1 ? list : `(${list})`}`;
  });
  return terms.length === 1 ? terms.join() : `(${terms.join(between)})`;
}

function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
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
