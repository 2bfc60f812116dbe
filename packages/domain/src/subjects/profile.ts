/** Describes a subject by everything that a project's entries and files say about it. */
import { listShownPaths, widenTimes } from '@tapedeck/log-entries';
import type { FileRecords } from '../ports/files.ts';
import type { LogProfile, LogQueries, TimesUsed } from '../ports/logQueries.ts';
import { limits, type MediaType, ServiceError } from '../vocabulary.ts';
import type { SubjectKind } from './kinds.ts';
import { listLatest } from './subjectSearch.ts';

export type SubjectDeps = {
  logQueries: Pick<LogQueries, 'findProfile'>;
  files: Pick<FileRecords, 'describeSubject'>;
};

type Identifier = TimesUsed & { path: string; value: string };

export type SubjectProfile = TimesUsed & {
  kind: string;
  id: string;
  /** The paths where entries and files hold the id. */
  idPaths: readonly string[];
  /** Most recently used first. */
  names: readonly (TimesUsed & { name: string })[];
  /** Values at the kind's other paths. */
  identifiers: readonly Identifier[];
  entries: number;
  files: number;
  levels: LogProfile['levels'];
  types: Readonly<Record<MediaType, number>>;
  resources: LogProfile['resources'];
  /** Counts by hour of the week in UTC, from Monday at midnight. */
  hours: readonly number[];
};

/** Throws `not_found` if no entry or file names the subject. */
export async function describeSubject(
  { logQueries, files }: SubjectDeps,
  { project, kind, id }: { project: string; kind: SubjectKind; id: string },
  signal: AbortSignal,
): Promise<SubjectProfile> {
  const paths = listShownPaths(kind);
  const valuesMax = limits.subjectValuesMax;
  const [inEntries, inFiles] = await Promise.all([
    logQueries.findProfile(project, { paths: kind, id, valuesMax }, signal),
    files.describeSubject(project, { idPaths: kind.idPaths, id, paths }),
  ]);
  const [one, other] = [inEntries ?? inFiles, inFiles ?? inEntries];
  if (one === null || other === null)
    throw new ServiceError('not_found', `No entry or file mentions this ${kind.kind}.`);
  const names = new Map<string, TimesUsed>();
  const identifiers = new Map<string, Identifier>();
  for (const fieldValue of [...(inEntries?.values ?? []), ...(inFiles?.values ?? [])]) {
    const { path, value } = fieldValue;
    if (kind.namePaths.includes(path)) names.set(value, widenTimes(names.get(value), fieldValue));
    else if (value !== id) {
      const key = `${path}\0${value}`;
      identifiers.set(key, { path, value, ...widenTimes(identifiers.get(key), fieldValue) });
    }
  }
  return {
    kind: kind.kind,
    id,
    idPaths: findIdPaths(kind, id, [inEntries?.values ?? [], inFiles?.values ?? []]),
    ...widenTimes(one, other),
    names: listLatest(names).slice(0, valuesMax),
    identifiers: [...identifiers.values()].sort((a, b) => b.lastMicros - a.lastMicros).slice(0, valuesMax),
    entries: inEntries?.entries ?? 0,
    files: inFiles?.files ?? 0,
    levels: inEntries?.levels ?? { debug: 0, info: 0, warn: 0, error: 0 },
    types: inFiles?.types ?? { image: 0, video: 0, audio: 0 },
    resources: inEntries?.resources ?? [],
    hours: Array.from(
      { length: hoursOfWeek },
      (_, hour) => (inEntries?.hours[hour] ?? 0) + (inFiles?.hours[hour] ?? 0),
    ),
  };
}

const hoursOfWeek = 168;

type FieldValue = { path: string; value: string };

/** Finds the paths that hold the id. Returns all if a list was cut off, since the missing values may include the id. */
function findIdPaths(
  { idPaths }: SubjectKind,
  id: string,
  lists: readonly (readonly FieldValue[])[],
): string[] {
  if (lists.some(values => values.length >= limits.subjectValuesMax)) return [...idPaths];
  const holding = new Set(lists.flat().flatMap(({ path, value }) => (value === id ? path : [])));
  return idPaths.filter(path => holding.has(path));
}
