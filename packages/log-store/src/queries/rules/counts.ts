/**
 * Counts newly arrived entries for many conditions at once. One pass finds the facts that the conditions need, and groups entries with
 * equal facts. The conditions then run only on these few groups.
 */
import type { LogField, LogFilter } from '@tapedeck/log-entries';
import type { Row } from '../../writer/engine/statements.ts';
import { Binder, bindMicros } from '../../writer/engine/statements.ts';
import { formatConditions } from '../conditions.ts';
import type { CountDeps } from '../counts.ts';
import { patternText } from '../fields.ts';
import type { ArrivedCount, ArrivedQuestion, SettledSpan } from '../logQueries.ts';
import { runQuery } from '../queryRunner.ts';
import { formatValue } from '../series.ts';
import { composeVerdict, type Verdict } from './evaluator.ts';
import { type Fact, type FactColumn, Facts } from './predicates.ts';

type CountsRequest = { span: SettledSpan; signal: AbortSignal };

/** The field that groups entries. */
type Split = LogField | { kind: 'datasetPattern' };

/** A question and its index in the request. */
type Pending = { question: Question; index: number };
type Question = { filter: LogFilter; by: { field: Split; known: readonly string[] } | null };

const valuesMax = 400; // per statement; a full statement takes no more questions. The engine accepts 1,000 values, including settings
const groupsMax = 50_000; // per statement: a few megabytes
const valuesOfSplitMax = 2_000; // for a question with a separate statement, the most frequent values; rules have far fewer states
const valueCharactersMax = 256; // longer values are cut, and may then be equal
const groupBytesMax = 64 * 1024 * 1024; // beyond it, the engine puts groups on disk
const rowsAtOnceMax = 2_000; // evaluating them takes a few milliseconds

export function countArrived(
  deps: CountDeps,
  questions: readonly ArrivedQuestion[],
  request: CountsRequest,
): Promise<ArrivedCount[][]> {
  return countAll(deps, questions, request);
}

/** Counts by dataset and pattern, joined by a slash. */
export function countSplit(
  deps: CountDeps,
  filters: readonly LogFilter[],
  { split, ...args }: CountsRequest & { split: Extract<Split, { kind: 'datasetPattern' }> },
): Promise<ArrivedCount[][]> {
  return countAll(
    deps,
    filters.map(filter => ({ filter, by: { field: split, known: [] } })),
    args,
  );
}

async function countAll(
  deps: CountDeps,
  questions: readonly Question[],
  request: CountsRequest,
): Promise<ArrivedCount[][]> {
  const counts = questions.map((): ArrivedCount[] => []);
  const { fromMicros, toMicros } = request.span;
  if (fromMicros >= toMicros) return counts;
  const pending = questions.map((question, index): Pending => ({ question, index }));
  const alike = Map.groupBy(pending, ({ question: { by } }) => by && JSON.stringify(by.field));
  for (const group of alike.values()) {
    for (const sheet of fillSheets(group)) {
      const found = (await sheet.count(deps, request)) ?? (await countApart(deps, sheet.pending, request));
      for (const [place, { index }] of sheet.pending.entries()) counts[index] = found[place]!;
    }
  }
  return counts;
}

/** Puts as many rules into one statement as their values allow. */
function fillSheets(pending: readonly Pending[]): Sheet[] {
  const sheets: Sheet[] = [];
  for (const one of pending) {
    const last = sheets.at(-1);
    if (last?.hasRoom()) last.add(one);
    else sheets.push(new Sheet(one));
  }
  return sheets;
}

/** Handles too many groups: counts each half of the time separately, or each split question. */
async function countApart(
  deps: CountDeps,
  pending: readonly Pending[],
  request: CountsRequest,
): Promise<ArrivedCount[][]> {
  const { fromMicros, toMicros } = request.span;
  const isSplit = pending[0]!.question.by !== null;
  const middle = Math.floor((fromMicros + toMicros) / 2);
  if (isSplit || middle === fromMicros) {
    const found: ArrivedCount[][] = [];
    for (const one of pending) found.push(await countAlone(deps, one.question, request));
    return found;
  }
  const questions = pending.map(({ question }) => question);
  const before = await countAll(deps, questions, { ...request, span: { fromMicros, toMicros: middle } });
  const behind = await countAll(deps, questions, { ...request, span: { fromMicros: middle, toMicros } });
  return before.map((ofQuestion, index) => [...ofQuestion, ...behind[index]!]);
}

/** Questions for one statement: all are split by the same field, or not at all. */
class Sheet {
  readonly pending: Pending[] = [];
  readonly #binder = new Binder();
  readonly #facts = new Facts(this.#binder);
  readonly #verdicts: Verdict[] = [];
  readonly #split: Split | null;

  constructor(first: Pending) {
    this.#split = first.question.by?.field ?? null;
    this.add(first);
  }

  hasRoom(): boolean {
    return this.#binder.count < valuesMax;
  }

  add(one: Pending): void {
    this.pending.push(one);
    this.#verdicts.push(composeVerdict(one.question.filter, { facts: this.#facts, binder: this.#binder }));
  }

  /** Counts the questions; null if there are too many groups. */
  async count(deps: CountDeps, { span, signal }: CountsRequest): Promise<ArrivedCount[][] | null> {
    const binder = this.#binder;
    const columns = this.#facts.listColumns();
    const projects = [...new Set(this.pending.map(({ question }) => question.filter.project))];
    const split = this.#split && formatSplit(this.#split, binder);
    const value = split === null ? "''" : `leftUTF8(${split.value}, ${valueCharactersMax})`;
    const levels = this.#listLevels();
    const conditions = [
      formatSpan(span, binder),
      `project IN ${binder.bindWords(projects)}`,
      ...(levels === null ? [] : [`level IN ${binder.bindWords(levels)}`]),
      ...(split === null ? [] : [split.isPresent]),
    ];
    const sql = `SELECT toUnixTimestamp64Milli(arrivedAt), ${value}, count(), ${columns.map(column => column.sql).join(', ')}
      FROM ${deps.table} WHERE ${conditions.join(' AND ')}
      GROUP BY ALL LIMIT ${groupsMax + 1}`;
    const rows = await ask(deps, { sql, binder }, signal);
    return rows.length > groupsMax ? null : await this.#judge(rows, columns);
  }

  /** Lists levels so that every match has one of them; null: any. */
  #listLevels(): readonly string[] | null {
    const { levels } = this.#facts;
    const times = new Uint32Array(this.#facts.count).fill(1);
    for (const fact of levels.values()) times[fact] = 0;
    const needed = this.#verdicts.map(verdict => verdict.findPivots(times));
    if (levels.size === 0 || needed.some(pivots => pivots === null || pivots.times > 0)) return null;
    return [...levels.keys()];
  }

  async #judge(rows: readonly Row[], columns: readonly FactColumn[]): Promise<ArrivedCount[][]> {
    const tallies = this.pending.map(() => new Map<string, ArrivedCount>());
    const known = rows.map(([, , , ...cells]) => columns.map(({ read }, place) => read(cells[place])));
    const findHopeful = this.#prepareHopeful(known);
    const held = new Uint8Array(this.#facts.count);
    for (const [number, [ms, value, count]] of rows.entries()) {
      if (number % rowsAtOnceMax === rowsAtOnceMax - 1) await new Promise(setImmediate);
      const row = known[number]!;
      for (const facts of row) for (const fact of facts) held[fact] = 1;
      for (const place of findHopeful(row))
        if (this.#verdicts[place]!.holds(held)) tally(tallies[place]!, [ms, value, count] as Tallied); // matches the SELECT
      for (const facts of row) for (const fact of facts) held[fact] = 0;
    }
    return tallies.map(found => [...found.values()].toSorted((one, other) => one.ms - other.ms));
  }

  /** Returns a function that lists verdicts that may hold for a row's facts. */
  #prepareHopeful(known: readonly FactsOfRow[]): (row: FactsOfRow) => readonly number[] {
    const times = new Uint32Array(this.#facts.count);
    for (const row of known) for (const facts of row) for (const fact of facts) times[fact]!++;
    const others: number[] = [];
    const byPivot = Array.from(times, (): number[] => []);
    for (const [place, verdict] of this.#verdicts.entries()) {
      const pivots = verdict.findPivots(times);
      if (pivots === null) others.push(place);
      for (const fact of pivots?.facts ?? []) byPivot[fact]!.push(place);
    }
    const seen = new Uint32Array(this.pending.length);
    let turn = 0;
    return row => {
      turn++;
      const hopeful = [...others];
      for (const facts of row)
        for (const fact of facts)
          for (const place of byPivot[fact]!) {
            if (seen[place] === turn) continue;
            seen[place] = turn;
            hopeful.push(place);
          }
      return hopeful;
    };
  }
}

/** Facts by column. */
type FactsOfRow = readonly (readonly Fact[])[];

type Tallied = [ms: number, value: string, count: number];

function tally(found: Map<string, ArrivedCount>, [ms, value, count]: Tallied): void {
  const key = `${ms} ${value}`;
  const known = found.get(key);
  if (known === undefined) found.set(key, { ms, value, count });
  else known.count += count;
}

/** Counts a split question in a separate statement: its known values, and the most frequent others. */
async function countAlone(
  deps: CountDeps,
  { filter, by }: Question,
  { span, signal }: CountsRequest,
): Promise<ArrivedCount[]> {
  const binder = new Binder();
  const { value, isPresent } = by === null ? { value: "''", isPresent: '1' } : formatSplit(by.field, binder);
  const known = by?.known ?? [];
  const knownFirst = known.length === 0 ? '' : `value IN ${binder.bindTexts(known)} DESC, `;
  const sql = `SELECT value, arraySort(groupArray((ms, entries))) FROM (
      SELECT toUnixTimestamp64Milli(arrivedAt) AS ms, leftUTF8(${value}, ${valueCharactersMax}) AS value, count() AS entries
      FROM ${deps.table}
      WHERE ${formatSpan(span, binder)} AND ${formatConditions(openTimes(filter), binder, false)} AND ${isPresent}
      GROUP BY ms, value
    ) GROUP BY value ORDER BY ${knownFirst}sum(entries) DESC, value LIMIT ${valuesOfSplitMax}`;
  const rows = await ask(deps, { sql, binder }, signal);
  // Matches the SELECT.
  const counts = (rows as [string, [ms: number, count: number][]][]).flatMap(([found, times]) =>
    times.map(([ms, count]) => ({ ms, value: found, count })),
  );
  return counts.sort((one, other) => one.ms - other.ms);
}

function formatSplit(split: Split, binder: Binder): { value: string; isPresent: string } {
  if (split.kind !== 'datasetPattern') return formatValue(split, binder);
  return { value: `concat(dataset, '/', ${patternText})`, isPresent: 'pattern != 0' };
}

/** Removes the times: entries count by arrival, regardless of their own times. */
function openTimes(filter: LogFilter): LogFilter {
  return { ...filter, fromMicros: null, toMicros: null };
}

function formatSpan({ fromMicros, toMicros }: SettledSpan, binder: Binder): string {
  return `arrivedAt >= ${bindMicros(fromMicros, binder)} AND arrivedAt < ${bindMicros(toMicros, binder)}`;
}

function ask(
  deps: CountDeps,
  { sql, binder }: { sql: string; binder: Binder },
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const settings = { max_bytes_before_external_group_by: groupBytesMax };
  return runQuery(deps.runner, { weight: 'light', signal }, { sql, parameters: binder.parameters, settings });
}
