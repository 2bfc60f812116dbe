/**
 * Caches windows about an hour at a time. If a later range has the same steps, only new or changed hours are read: a dashboard that shows the last twelve
 * hours asks again and again about nearly the same ones. Unlike a whole answer (`resultCache.ts`), an hour stays valid while entries of other hours arrive.
 */
import { createHash } from 'node:crypto';
import type { LogFilter, LogWindowsQuestion, SplitWindows } from '@tapedeck/log-entries';
import { hasTemplate, keyOfQuestion } from '@tapedeck/log-query-language';
import type { LogQueries } from './logQueries.ts';
import type { Part } from './parts.ts';
import { joinFromGranules } from './windowJoins.ts';

type Ask = LogQueries['findWindows'];
type Found = readonly SplitWindows[];

/** The parts that existed at a look, and how often this process had inserted before; null if it was inserting. */
export type PartsLook = { parts: readonly Part[]; inserted: number | null };

type PartsWatch = {
  /** null if it was too long ago. */
  readonly latestLook: PartsLook | null;
  look(): Promise<unknown>;
  /** null while entries may be visible that are not counted yet. */
  countInserted(): number | null;
};

/** Windows of a question; `to` is exclusive. */
type Run = { from: number; to: number };

/** Windows that were read together, numbered from the epoch; `to` is exclusive. `parts` identifies the parts with entries in the piece's time. */
type Piece = Run & { parts: string; found: Found; weight: number };

type Known = { pieces: Map<number, Piece>; weight: number };

const pieceMicros = 3_600_000_000;
const pieceWindowsMin = 4;
const piecesMax = 1_000; // in a range: each is compared with every part
const runsMax = 2; // gaps between cached pieces; each takes a statement
const answerWeightMax = 20_000; // copying more would delay other requests
const weightMax = 200_000; // for all questions together: some 20 MB
const charactersPerWeight = 16; // a point takes about as much memory
const questionsMax = 1_000;

/** Wraps a query: repeats it only for times that are not cached. Windows with overlaps or gaps are cached as the granules that they share. */
export function rememberPieces(ask: Ask, watch: PartsWatch): Ask {
  const pieces = new WindowPieces(ask, watch);
  return joinFromGranules((filter, question, signal) => pieces.find(filter, question, signal));
}

/** How pieces lie in the range of a question. Window 0 of the question has the number `first`. */
type Division = { first: number; count: number; perPiece: number; stepMicros: number; phaseMicros: number };

type Read = Run & { number: number; found: Found };

class WindowPieces {
  readonly #ask: Ask;
  readonly #watch: PartsWatch;
  /** By question without its range, the latest last. */
  readonly #known = new Map<string, Known>();
  #weight = 0;

  constructor(ask: Ask, watch: PartsWatch) {
    this.#ask = ask;
    this.#watch = watch;
  }

  async find(filter: LogFilter, question: LogWindowsQuestion, signal: AbortSignal): ReturnType<Ask> {
    const division = divide(filter, question);
    if (division === null) return this.#ask(filter, question, signal);
    const key = nameQuestion(filter, question, division);
    const known = this.#known.get(key);
    const look = await this.#look(known);
    const valid = look === null ? new Map<number, Piece>() : listValid(division, known, look);
    const runs = listRuns(division, valid);
    const answers = await Promise.all(
      runs.map(run =>
        this.#ask(cutFilter(filter, division, run), cutQuestion(question, division, run), signal),
      ),
    );
    const read: [Run, Found][] = [];
    for (const [index, run] of runs.entries()) {
      const found = answers[index];
      if (found === null || found === undefined) return this.#ask(filter, question, signal);
      read.push([run, found.map(each => shift(each, run.from))]);
    }
    if (read.reduce((sum, [, found]) => sum + weigh(found), 0) <= answerWeightMax)
      this.#remember(key, look, { division, pieces: listPieces(division, read) });
    const joined = join(division, valid, read);
    // The store refuses as many points in one answer.
    return countPoints(joined) >= question.pointsMax ? this.#ask(filter, question, signal) : joined;
  }

  /** Cached pieces need a look that begins now. To cache new ones, the last look is enough. */
  async #look(known: Known | undefined): Promise<PartsLook | null> {
    if (known === undefined && this.#watch.latestLook !== null) return this.#watch.latestLook;
    if (known === undefined) {
      this.#watch.look().catch(() => {}); // for later queries; this query fails by itself
      return null;
    }
    await this.#watch.look();
    return this.#watch.latestLook;
  }

  #remember(
    key: string,
    look: PartsLook | null,
    { division, pieces }: { division: Division; pieces: readonly Read[] },
  ): void {
    const known = this.#known.get(key) ?? { pieces: new Map<number, Piece>(), weight: 0 };
    this.#forget(key);
    // A part that came after the look may be gone at the next one.
    const inserted = look?.inserted ?? null;
    if (look !== null && inserted !== null && inserted === this.#watch.countInserted())
      for (const read of pieces) {
        const piece = {
          ...read,
          parts: nameParts(division, read.number, look),
          weight: 1 + weigh(read.found),
        };
        known.weight += piece.weight - (known.pieces.get(read.number)?.weight ?? 0);
        known.pieces.set(read.number, piece);
      }
    this.#known.set(key, known);
    this.#weight += known.weight;
    for (const oldest of this.#known.keys()) {
      if (this.#weight <= weightMax && this.#known.size <= questionsMax) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#weight -= this.#known.get(key)?.weight ?? 0;
    this.#known.delete(key);
  }
}

/** Returns null for questions without whole pieces, and for those whose pieces might differ from the whole. */
function divide(filter: LogFilter, { windows }: LogWindowsQuestion): Division | null {
  const { firstMicros, stepMicros, rangeMicros, count } = windows;
  if (rangeMicros !== stepMicros || hasTemplate(filter.condition)) return null;
  const last = firstMicros + stepMicros * (count - 1);
  const isCut =
    (filter.fromMicros ?? 0) > Math.max(firstMicros - rangeMicros + 1, 0) ||
    (filter.toMicros !== null && filter.toMicros < last);
  if (isCut || firstMicros < rangeMicros) return null;
  const perPiece = Math.max(Math.floor(pieceMicros / stepMicros), pieceWindowsMin);
  if (count < perPiece || count > piecesMax * perPiece) return null;
  const phaseMicros = firstMicros % stepMicros;
  const first = (firstMicros - phaseMicros) / stepMicros - 1; // by its start, so that pieces begin with full hours
  return { first, count, perPiece, stepMicros, phaseMicros };
}

function nameQuestion(filter: LogFilter, question: LogWindowsQuestion, division: Division): string {
  const { stepMicros, phaseMicros } = division;
  const asked = { ...filter, fromMicros: null, toMicros: null };
  const key = keyOfQuestion([asked, { ...question, windows: null }, stepMicros, phaseMicros]);
  return createHash('sha256').update(key).digest('base64');
}

/** Returns the pieces that have the windows of the range and of which no entry can have come or gone. */
function listValid(
  division: Division,
  known: Known | undefined,
  look: PartsLook,
): ReadonlyMap<number, Piece> {
  const valid = new Map<number, Piece>();
  if (known === undefined) return valid;
  for (const { number, from, to } of listSteps(division)) {
    const piece = known.pieces.get(number);
    if (piece === undefined || piece.from > division.first + from || piece.to < division.first + to) continue;
    if (piece.parts === nameParts(division, number, look)) valid.set(number, piece);
  }
  return valid;
}

/** Lists the windows of the range by the pieces to which they belong. */
function listSteps(division: Division): (Run & { number: number })[] {
  const steps: (Run & { number: number })[] = [];
  for (let from = 0; from < division.count; ) {
    const number = numberPiece(division, from);
    const to = Math.min((number + 1) * division.perPiece - division.first, division.count);
    steps.push({ number, from, to });
    from = to;
  }
  return steps;
}

function numberPiece({ first, perPiece }: Division, window: number): number {
  return Math.floor((first + window) / perPiece);
}

/** Identifies the parts that may hold entries of the piece. */
function nameParts(
  { perPiece, stepMicros, phaseMicros }: Division,
  piece: number,
  { parts }: PartsLook,
): string {
  const toMicros = (piece + 1) * perPiece * stepMicros + phaseMicros;
  const fromMicros = toMicros - perPiece * stepMicros + 1;
  const hash = createHash('sha256');
  for (const part of parts)
    if (part.fromMicros <= toMicros && part.toMicros >= fromMicros) hash.update(`${part.key}\n`);
  return hash.digest('base64');
}

/** Lists the windows that must be read. */
function listRuns(division: Division, valid: ReadonlyMap<number, Piece>): Run[] {
  const runs: Run[] = [];
  for (const { number, from, to } of listSteps(division)) {
    if (valid.has(number)) continue;
    const latest = runs.at(-1);
    if (latest?.to === from) latest.to = to;
    else runs.push({ from, to });
  }
  const [first, last] = [runs[0], runs.at(-1)];
  return first === undefined || last === undefined || runs.length <= runsMax
    ? runs
    : [{ from: first.from, to: last.to }];
}

function cutFilter(filter: LogFilter, division: Division, { from, to }: Run): LogFilter {
  const { first, count, stepMicros, phaseMicros } = division;
  return {
    ...filter,
    fromMicros: from === 0 ? filter.fromMicros : (first + from) * stepMicros + phaseMicros + 1,
    toMicros: to === count ? filter.toMicros : (first + to) * stepMicros + phaseMicros,
  };
}

function cutQuestion(
  question: LogWindowsQuestion,
  division: Division,
  { from, to }: Run,
): LogWindowsQuestion {
  const { windows } = question;
  const firstMicros = windows.firstMicros + from * division.stepMicros;
  return { ...question, windows: { ...windows, firstMicros, count: to - from } };
}

function shift({ points, ...group }: SplitWindows, by: number): SplitWindows {
  return { ...group, points: by === 0 ? points : points.map(([window, value]) => [window + by, value]) };
}

/** Divides what was read into pieces. Those at the ends may lack windows. */
function listPieces(division: Division, read: readonly [Run, Found][]): Read[] {
  const pieces = new Map<number, Read & { found: SplitWindows[] }>();
  for (const [run, found] of read) {
    for (const { number, from, to } of listSteps(division))
      if (from >= run.from && to <= run.to)
        pieces.set(number, { number, from: division.first + from, to: division.first + to, found: [] });
    for (const group of found) {
      const byPiece = Map.groupBy(group.points, ([window]) => numberPiece(division, window));
      for (const [number, points] of byPiece)
        pieces.get(number)?.found.push(shift({ ...group, points }, division.first));
    }
  }
  return [...pieces.values()];
}

/** Joins cached pieces with windows that were read. Without cached ones, the only run is the whole question. */
function join(
  division: Division,
  valid: ReadonlyMap<number, Piece>,
  read: readonly [Run, Found][],
): SplitWindows[] {
  if (valid.size === 0) return read.flatMap(([, found]) => found);
  const isRead = (window: number) => read.some(([{ from, to }]) => window >= from && window < to);
  const groups = new Map<string, SplitWindows & { points: [number, number][] }>();
  const add = (group: SplitWindows, points: readonly (readonly [number, number])[]) => {
    if (points.length === 0) return;
    const key = JSON.stringify([group.values, group.isApart]);
    const known = groups.get(key) ?? { ...group, points: [] };
    for (const [window, value] of points) known.points.push([window, value]);
    groups.set(key, known);
  };
  for (const [number, { found }] of valid) {
    // A piece at an end may be longer than the range; one between two gaps may have been read again.
    if (isRead(Math.max(number * division.perPiece - division.first, 0))) continue;
    for (const group of found) {
      const shifted = group.points.map(([window, value]) => [window - division.first, value] as const);
      add(
        group,
        shifted.filter(([window]) => window >= 0 && window < division.count),
      );
    }
  }
  for (const [, found] of read) for (const group of found) add(group, group.points);
  for (const { points } of groups.values()) points.sort(([one], [other]) => one - other);
  return [...groups.values()];
}

function countPoints(found: Found): number {
  return found.reduce((sum, { points }) => sum + points.length, 0);
}

function weigh(found: Found): number {
  return found.reduce((sum, { values, points }) => {
    const characters = values.reduce((total, value) => total + value.length, 0);
    return sum + points.length + Math.ceil(characters / charactersPerWeight) + 1;
  }, 0);
}
