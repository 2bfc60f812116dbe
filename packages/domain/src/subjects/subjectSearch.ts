/** Finds subjects by their id or by any name they ever had, in entries and files. */
import { takeTurns } from '@tapedeck/concurrency/turns';
import { widenTimes } from '@tapedeck/log-entries';
import { foldCase } from '@tapedeck/values/case-folding';
import { Failure } from '@tapedeck/values/failure';
import type { CursorKey } from '../files/cursor.ts';
import { readSignedPosition, writeSignedPosition } from '../files/cursor.ts';
import type { FileRecords } from '../ports/files.ts';
import type { LogQueries, SubjectList, SubjectPaths, TimesUsed } from '../ports/logQueries.ts';
import { type JoinedIds, joinIds } from './joinedIds.ts';
import type { SubjectKind } from './kinds.ts';

type ListDeps = {
  logQueries: Pick<LogQueries, 'listSubjects'>;
  files: Pick<FileRecords, 'listSubjects'>;
};

type PageDeps = Pick<ListDeps, 'files'> & { logQueries: Pick<LogQueries, 'listSubjectsSoon'> };

export type SubjectSearchDeps = ListDeps & PageDeps & { secret: string };

type FoundSubject = TimesUsed & {
  kind: string;
  id: string;
  /** Other ids of the same subject; empty unless ids are joined. */
  otherIds: readonly string[];
  entries: number;
  files: number;
  /** Most recently used first. */
  names: readonly (TimesUsed & { name: string })[];
};

type SearchRequest = {
  kinds: readonly SubjectKind[];
  q: string;
  /** One row for all ids of a subject. */
  isJoined: boolean;
  limit: number;
  cursor: string | undefined;
};
type FoundSubjects = { subjects: FoundSubject[]; total: number; nextCursor: string | null };

/** Most recently seen first. */
export async function searchSubjects(
  deps: SubjectSearchDeps,
  { project, request, signal }: { project: string; request: SearchRequest; signal: AbortSignal },
): Promise<FoundSubjects> {
  const signer = { secret: deps.secret, scope: `subjects ${project}` };
  const after = readPlace(signer, request.cursor);
  const found = new TopSubjects(request.limit + 1, after);
  for (const kind of request.kinds) {
    const layers = await readLayers(deps, { project, kind, signal });
    const q = foldCase(request.q);
    const joined = request.isJoined ? await joinIds(layers) : noneJoined;
    await collect(found, { kind: kind.kind, layers, joined, q });
  }
  const subjects = found.list();
  const page = subjects.slice(0, request.limit);
  const last = page.at(-1);
  const hasMore = subjects.length > request.limit && last !== undefined;
  return { subjects: page, total: found.total, nextCursor: hasMore ? writePlace(signer, last) : null };
}

const noneJoined: JoinedIds = new Map();

/** Finds the subject's other ids; null while the search is running. With too many ids to compare, returns none. */
export async function findOtherIds(
  { logQueries, files }: PageDeps,
  { project, kind, id }: { project: string; kind: SubjectKind; id: string },
  signal: AbortSignal,
): Promise<string[] | null> {
  try {
    const inEntries = await logQueries.listSubjectsSoon(project, kind, signal);
    if (inEntries === null) return null;
    const joined = await joinIds([...inEntries, await files.listSubjects(project, kind)]);
    return (joined.get(id) ?? []).filter(other => other !== id);
  } catch (error) {
    if (isTooMuch(error)) return [];
    throw error;
  }
}

/** Whether a list cannot be read because of too many ids or entries. */
function isTooMuch(error: unknown): boolean {
  return error instanceof Failure && ['overloaded', 'query_timeout'].includes(error.code);
}

/** Loads the list into memory before users open it. */
export async function prepareList(
  deps: ListDeps,
  { project, paths }: { project: string; paths: SubjectPaths },
  signal: AbortSignal,
): Promise<void> {
  try {
    await joinIds(await readLayers(deps, { project, kind: paths, signal }));
  } catch (error) {
    if (!isTooMuch(error)) throw error;
  }
}

type Reading = { project: string; kind: SubjectPaths; signal: AbortSignal };

/** The files' layer comes last. */
async function readLayers(
  { logQueries, files }: ListDeps,
  { project, kind, signal }: Reading,
): Promise<SubjectList[]> {
  const [inEntries, inFiles] = await Promise.all([
    logQueries.listSubjects(project, kind, signal),
    files.listSubjects(project, kind),
  ]);
  return [...inEntries, inFiles];
}

type Place = Pick<FoundSubject, 'lastMicros' | 'kind' | 'id'>;

function readPlace(signer: CursorKey, cursor: string | undefined): Place | null {
  // Only `writePlace` signs under this list's scope.
  return cursor === undefined ? null : (readSignedPosition(signer, cursor) as Place);
}

function writePlace(signer: CursorKey, { lastMicros, kind, id }: Place): string {
  return writeSignedPosition(signer, { lastMicros, kind, id });
}

function comparePlaces(one: Place, other: Place): number {
  if (one.lastMicros !== other.lastMicros) return other.lastMicros - one.lastMicros;
  if (one.kind !== other.kind) return one.kind < other.kind ? -1 : 1;
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
}

/** Keeps the first subjects after a place, and counts all. */
class TopSubjects {
  readonly #limit: number;
  readonly #after: Place | null;
  #subjects: FoundSubject[] = [];
  /** The last subject to keep, as of the latest sort. */
  #worst: FoundSubject | null = null;
  total = 0;

  constructor(limit: number, after: Place | null) {
    this.#limit = limit;
    this.#after = after;
  }

  add(place: Place, complete: () => FoundSubject): void {
    this.total++;
    if (this.#after !== null && comparePlaces(place, this.#after) <= 0) return;
    if (this.#worst !== null && comparePlaces(place, this.#worst) >= 0) return;
    this.#subjects.push(complete());
    if (this.#subjects.length >= 2 * this.#limit) this.#cut();
  }

  list(): FoundSubject[] {
    this.#cut();
    return this.#subjects;
  }

  #cut(): void {
    this.#subjects = this.#subjects.sort(comparePlaces).slice(0, this.#limit);
    this.#worst = this.#subjects[this.#limit - 1] ?? null;
  }
}

type Layers = {
  kind: string;
  layers: readonly SubjectList[];
  joined: JoinedIds;
  q: string;
};

async function collect(found: TopSubjects, { kind, layers, joined, q }: Layers): Promise<void> {
  const pause = takeTurns();
  for (const id of listIds(layers)) {
    const waiting = pause();
    if (waiting !== null) await waiting;
    const ids = joined.get(id);
    if (
      ids === undefined ? !isMeant(id, layers, q) : ids[0] !== id || !ids.some(one => isMeant(one, layers, q))
    )
      continue;
    const times = readTimes(ids ?? [id], layers);
    found.add({ lastMicros: times.lastMicros, kind, id }, () => ({
      ...addUp(kind, id, layers),
      ...times,
      otherIds: ids?.slice(1) ?? [],
    }));
  }
}

/** Avoids building a list, because a page of fifty scans all subjects. */
function readTimes(ids: readonly string[], layers: readonly SubjectList[]): TimesUsed {
  const times = { firstMicros: Number.POSITIVE_INFINITY, lastMicros: Number.NEGATIVE_INFINITY };
  for (const id of ids)
    for (const layer of layers) {
      const sum = layer.get(id);
      if (sum === undefined) continue;
      if (sum.firstMicros < times.firstMicros) times.firstMicros = sum.firstMicros;
      if (sum.lastMicros > times.lastMicros) times.lastMicros = sum.lastMicros;
    }
  return times;
}

function* listIds(layers: readonly SubjectList[]): Generator<string> {
  const earlier: SubjectList[] = [];
  for (const layer of layers) {
    for (const id of layer.keys()) if (!earlier.some(other => other.has(id))) yield id;
    earlier.push(layer);
  }
}

function isMeant(id: string, layers: readonly SubjectList[], q: string): boolean {
  if (q === '' || foldCase(id).includes(q)) return true;
  for (const layer of layers)
    for (const name of layer.get(id)?.names.keys() ?? []) if (foldCase(name).includes(q)) return true;
  return false;
}

/** The files' layer comes last. */
function addUp(
  kind: string,
  id: string,
  layers: readonly SubjectList[],
): Omit<FoundSubject, keyof TimesUsed | 'otherIds'> {
  const counts = layers.map(layer => layer.get(id)?.count ?? 0);
  const sums = layers.flatMap(layer => layer.get(id) ?? []);
  const names = new Map<string, TimesUsed>();
  for (const sum of sums)
    for (const [name, used] of sum.names) names.set(name, widenTimes(names.get(name), used));
  return {
    kind,
    id,
    entries: counts.slice(0, -1).reduce((total, count) => total + count, 0),
    files: counts.at(-1) ?? 0,
    names: listLatest(names),
  };
}

export function listLatest(names: ReadonlyMap<string, TimesUsed>): (TimesUsed & { name: string })[] {
  return [...names]
    .map(([name, { firstMicros, lastMicros }]) => ({ name, firstMicros, lastMicros }))
    .sort((one, other) => other.lastMicros - one.lastMicros || (one.name < other.name ? -1 : 1));
}
