/**
 * Lists the subjects that entries of a project name. It reads everything up to some moment once and keeps it in memory;
 * later requests read only newer arrivals. Older entries can only disappear, so an equal count proves that all still
 * exist.
 */
import { createKeyedMutex } from '@tapedeck/concurrency/gate';
import {
  type SubjectList,
  type SubjectPaths,
  type SubjectSum,
  type TimesUsed,
  widenTimes,
} from '@tapedeck/log-entries';
import { keyOfQuestion } from '@tapedeck/log-query-language';
import { LogStoreFailure } from '../../failures.ts';
import { Binder, bindMicros } from '../../writer/engine/statements.ts';
import { findEnd } from '../arrivals.ts';
import { formatPath } from '../fields.ts';
import { runQuery } from '../queryRunner.ts';
import {
  type Arrived,
  countBefore,
  formatArrived,
  type NamedRow,
  type SubjectDeps,
} from './settledEntries.ts';
import { KeptLists, type KnownSubjects } from './storedLists.ts';
import type { SubjectSums } from './sums/subjectSums.ts';

const rowsMax = 300_000; // of an id and a name: about 100 MB
const keptRowsMax = 600_000; // for all kinds and projects
const freshRowsMax = 5_000; // with more, they join the kept list
const failedMs = 600_000;
const noDeadline = new AbortController().signal;

type DirectoriesOptions = { keptIn: string | null; sums: SubjectSums | null; soonEntriesMax?: number };

export class SubjectLists {
  readonly #deps: SubjectDeps;
  readonly #mutex = createKeyedMutex();
  /** Lists that are being read, regardless of the number of entries. */
  readonly #reading = new Set<string>();
  /** Lists with too many ids or entries: an immediate retry would fail again. */
  readonly #failed = new Map<string, { error: unknown; untilMs: number }>();
  /** Lists by project and paths, the most recently used last. */
  readonly #known = new Map<string, KnownSubjects>();
  readonly #kept: KeptLists | null;
  readonly #sums: SubjectSums | null;

  readonly #soonEntriesMax: number;

  /** `keptIn`: a directory that keeps lists over restarts; null: each start reads them again, from sums if possible. */
  constructor(
    deps: SubjectDeps,
    { keptIn, sums, soonEntriesMax = 300_000 }: DirectoriesOptions, // reading them takes a few hundred milliseconds
  ) {
    this.#deps = deps;
    this.#soonEntriesMax = soonEntriesMax;
    this.#kept = keptIn === null ? null : new KeptLists(keptIn);
    this.#sums = sums;
  }

  /** Returns lists that together name all subjects. A subject may be in several. */
  async list(project: string, paths: SubjectPaths, signal: AbortSignal): Promise<readonly SubjectList[]> {
    const request = { deps: this.#depsOf(project), project, paths, signal };
    const key = nameList(request);
    const listed = await this.#mutex.runExclusive(key, () => this.#list(key, request, { isPatient: true }));
    this.#failed.delete(key);
    return listed ?? [];
  }

  /** Like `list`, but null while the list would read very many entries or is being read. It is ready some time later. */
  async listSoon(
    project: string,
    paths: SubjectPaths,
    signal: AbortSignal,
  ): Promise<readonly SubjectList[] | null> {
    const request = { deps: this.#depsOf(project), project, paths, signal };
    const key = nameList(request);
    const failed = this.#failed.get(key);
    if (failed !== undefined && performance.now() < failed.untilMs) throw failed.error;
    if (this.#reading.has(key)) return null;
    const listed = await this.#mutex.runExclusive(key, () => this.#list(key, request, { isPatient: false }));
    // Sums make lists quick. Without them, the first caller starts reading the list for all callers.
    if (listed === null && !this.#sums?.isWorkedOn(request) && !this.#reading.has(key))
      this.list(project, paths, noDeadline).catch(error => {
        if (isTooMuch(error)) this.#failed.set(key, { error, untilMs: performance.now() + failedMs });
      });
    return listed;
  }

  #depsOf(project: string): SubjectDeps {
    return { ...this.#deps, runner: { ...this.#deps.runner, holder: project } };
  }

  /** Returns null if an impatient caller would have to wait for very many entries. */
  async #list(
    key: string,
    request: ListRequest,
    { isPatient }: { isPatient: boolean },
  ): Promise<readonly SubjectList[] | null> {
    const { settled } = await findEnd(request.deps, request.signal);
    const known = await this.#refresh(key, request, { endMicros: settled.micros, isPatient });
    if (known === null) return null;
    const fresh = await readRows(request, { fromMicros: known.endMicros, toMicros: null });
    const hasSettled = settled.micros > known.endMicros; // not after the clock was set back
    if (fresh.length <= freshRowsMax || !hasSettled) return [known.subjects, sumUp(fresh)];
    // Keeps only settled entries, and reads the rest again.
    const grown = await this.#extend(key, request, { known, endMicros: settled.micros });
    const rest = await readRows(request, { fromMicros: grown.endMicros, toMicros: null });
    return [grown.subjects, sumUp(rest)];
  }

  async #refresh(
    key: string,
    request: ListRequest,
    { endMicros, isPatient }: { endMicros: number; isPatient: boolean },
  ): Promise<KnownSubjects | null> {
    const before = this.#known.get(key);
    if (before !== undefined && (await countBefore(request, before.endMicros)) === before.entries) {
      this.#keep(key, before);
      return before;
    }
    this.#known.delete(key);
    if (before !== undefined) await this.#kept?.forget(key);
    const summed = await this.#readSums(request);
    const isLong = summed === null && (await countBefore(request, endMicros)) > this.#soonEntriesMax;
    if (isLong && !isPatient) return null;
    if (isLong) this.#reading.add(key);
    try {
      const kept = summed ?? (await this.#kept?.find(key, end => describeBefore(request, end)));
      if (kept) {
        this.#keep(key, kept);
        return kept;
      }
      const known = { endMicros: 0, entries: 0, subjects: new Map(), rows: 0 };
      return await this.#extend(key, request, { known, endMicros });
    } finally {
      this.#reading.delete(key);
    }
  }

  /** Reads the list from sums; null if they are incomplete. */
  async #readSums(request: ListRequest): Promise<KnownSubjects | null> {
    const ready = this.#sums?.find(request);
    if (!this.#sums || !ready) return null;
    const { endMicros, entries } = ready;
    const { project, paths, signal } = request;
    const [standing, rows] = await Promise.all([
      countBefore(request, endMicros),
      this.#sums.list(ready, { kind: { project, paths }, rowsMax, signal }),
    ]);
    if (standing !== entries || rows === null) return null;
    if (rows.length > rowsMax) throw tooManyError(paths);
    return { endMicros, entries, subjects: sumUp(rows), rows: rows.length };
  }

  async #extend(
    key: string,
    request: ListRequest,
    { known, endMicros }: { known: KnownSubjects; endMicros: number },
  ): Promise<KnownSubjects> {
    // Taken before reading entries, so that deletions in between make the fingerprint differ next time.
    const fingerprint = this.#kept?.isDue(key) ? await describeBefore(request, endMicros) : null;
    const grown = await extend(request, known, endMicros);
    this.#keep(key, grown);
    if (fingerprint !== null) await this.#kept?.write(key, fingerprint, grown);
    return grown;
  }

  #keep(key: string, known: KnownSubjects): void {
    this.#known.delete(key);
    this.#known.set(key, known);
    let rows = this.#known.values().reduce((sum, one) => sum + one.rows, 0);
    for (const [oldest, { rows: freed }] of this.#known) {
      if (rows <= keptRowsMax || oldest === key) return;
      this.#known.delete(oldest);
      rows -= freed;
    }
  }
}

type ListRequest = { deps: SubjectDeps; project: string; paths: SubjectPaths; signal: AbortSignal };

function nameList({ project, paths }: ListRequest): string {
  return keyOfQuestion([project, paths.idPaths, paths.namePaths]);
}

/** Counts first, so that entries deleted meanwhile change the count of the next request. */
async function extend(request: ListRequest, known: KnownSubjects, endMicros: number): Promise<KnownSubjects> {
  const entries = await countBefore(request, endMicros);
  const rows = await readRows(request, { fromMicros: known.endMicros, toMicros: endMicros });
  const subjects = addRows(known.subjects, rows);
  return { endMicros, entries, subjects, rows: known.rows + rows.length };
}

/** Returns a fingerprint of the entries that arrived before. */
async function describeBefore({ deps, project, signal }: ListRequest, endMicros: number): Promise<string> {
  const binder = new Binder();
  const sql = `SELECT toString(count()), toString(sumWithOverflow(cityHash64(identity, timestamp))) FROM ${deps.table}
    WHERE project = ${binder.bind('String', project)} AND arrivedAt < ${bindMicros(endMicros, binder)}`;
  const statement = { sql, parameters: binder.parameters };
  const [row] = await runQuery(deps.runner, { weight: 'heavy', signal }, statement);
  return (row ?? []).join(' ');
}

/** Groups equal texts first, because most entries of a player have the same ones. */
async function readRows(
  { deps, project, paths, signal }: ListRequest,
  arrived: Arrived,
): Promise<NamedRow[]> {
  const binder = new Binder();
  const name = (letter: string, some: readonly string[]) =>
    some.map((path, index) => ({ sql: formatPath(path, binder).value, column: `${letter}${index}` }));
  const [ids, names] = [name('id', paths.idPaths), name('name', paths.namePaths)];
  const columns = [...ids, ...names];
  const list = (some: typeof columns) =>
    some.length === 0
      ? "CAST([], 'Array(String)')"
      : `arrayDistinct(arrayFilter(text -> text != '', [${some.map(({ column }) => column).join(', ')}]))`;
  const counted = `SELECT ${columns.map(({ sql, column }) => `${sql} AS ${column}`).join(', ')}, count() AS entries,
      min(toUnixTimestamp64Micro(timestamp)) AS firstAt, max(toUnixTimestamp64Micro(timestamp)) AS lastAt
    FROM ${deps.table} WHERE ${formatWhere(project, arrived, binder)}
    GROUP BY ${columns.map(({ column }) => column).join(', ')}`;
  const told = `SELECT arrayJoin(${list(ids)}) AS id, ${list(names)} AS names, entries, firstAt, lastAt FROM (${counted})`;
  const sql = `SELECT id, name, toInt64(sumIf(entries, nth <= 1)), min(firstAt), max(lastAt)
    FROM (SELECT id, name, nth, entries, firstAt, lastAt FROM (${told}) LEFT ARRAY JOIN names AS name, arrayEnumerate(names) AS nth)
    GROUP BY id, name LIMIT ${rowsMax + 1}`;
  const weight = arrived.toMicros === null ? 'light' : 'heavy';
  const rows = await runQuery(deps.runner, { weight, signal }, { sql, parameters: binder.parameters });
  if (rows.length > rowsMax) throw tooManyError(paths);
  return rows as unknown as NamedRow[]; // matches the SELECT
}

function formatWhere(project: string, arrived: Arrived, binder: Binder): string {
  return `project = ${binder.bind('String', project)}${formatArrived(arrived, binder)}`;
}

function isTooMuch(error: unknown): boolean {
  return error instanceof LogStoreFailure && ['overloaded', 'query_timeout'].includes(error.code);
}

function tooManyError({ idPaths }: SubjectPaths): LogStoreFailure {
  return new LogStoreFailure(
    'overloaded',
    `${idPaths.join(' and ')} hold more than ${rowsMax} different ids and names, too many to list; look up a subject by its id instead.`,
  );
}

function sumUp(rows: readonly NamedRow[]): SubjectList {
  return addRows(new Map(), rows);
}

/** Adds rows to a copy, because readers may still use the existing maps. */
function addRows(subjects: SubjectList, rows: readonly NamedRow[]): SubjectList {
  const grown = new Map(subjects);
  const touched = new Map<string, { sum: SubjectSum; names: Map<string, TimesUsed> }>();
  for (const [id, name, count, firstMicros, lastMicros] of rows) {
    const before = touched.get(id);
    const names = before?.names ?? new Map(subjects.get(id)?.names);
    const sum = before?.sum ?? subjects.get(id);
    if (name !== '') names.set(name, widenTimes(names.get(name), { firstMicros, lastMicros }));
    const wider = {
      ...widenTimes(sum, { firstMicros, lastMicros }),
      count: (sum?.count ?? 0) + count,
      names,
    };
    touched.set(id, { sum: wider, names });
    grown.set(id, wider);
  }
  return grown;
}
