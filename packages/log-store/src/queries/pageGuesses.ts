/**
 * Guesses the time span of a page's entries. Reading that span first answers most queries without opening every part of the table.
 * It also guesses from a sample whether many entries match, or so few that only an index leads to them. A wrong guess costs time,
 * never entries: a query that finds too few looks again.
 */
import {
  type LogEntry,
  type LogFilter,
  type LogOrder,
  type LogPage,
  parseTraceId,
} from '@tapedeck/log-entries';
import { type Condition, compileCondition, everything, MatchableEntry } from '@tapedeck/log-query-language';
import { findLiterals, listAlternatives } from './expressionLiterals.ts';
import type { Part } from './parts.ts';
import type { Span } from './slots.ts';

/** The time span and number of a part's entries. */
export type PartSpan = Pick<Part, 'fromMicros' | 'toMicros' | 'entries' | 'bytes' | 'hasCounts'>;

type TimeWindow = { fromMicros: number | null; toMicros: number | null };

const spansFreshMs = 5_000; // newer entries are beyond the newest end, where every query looks
const bisectionsMax = 50; // from centuries down to microseconds

/** Caches the spans of all parts for a few seconds. */
export class PartSpans<Listed extends PartSpan = PartSpan> {
  readonly #load: () => Promise<readonly Listed[]>;
  #loaded: Promise<readonly Listed[]> | null = null;
  #loadedAt = 0;

  constructor(load: () => Promise<readonly Listed[]>) {
    this.#load = load;
  }

  async list(): Promise<readonly Listed[]> {
    const now = performance.now();
    if (this.#loaded === null || now - this.#loadedAt > spansFreshMs) {
      this.#loaded = this.#load();
      this.#loadedAt = now;
      this.#loaded.catch(() => {
        this.#loaded = null;
      });
    }
    return this.#loaded;
  }

  /** A new engine may give other parts the same names. */
  forget(): void {
    this.#loaded = null;
  }
}

type WindowRequest = {
  filter: Pick<LogFilter, 'fromMicros' | 'toMicros'>;
  order: LogOrder;
  after: string | null;
  entries: number;
};

/** Guesses a window with enough entries; null if the query covers hardly more entries. */
export function guessWindow(spans: readonly PartSpan[], request: WindowRequest): TimeWindow | null {
  const { filter, order, after } = request;
  const place = after === null ? null : (parseTraceId(after)?.timestampMicros ?? null);
  const first = Math.min(...spans.map(span => span.fromMicros));
  const last = Math.max(...spans.map(span => span.toMicros));
  let from = Math.max(first, filter.fromMicros ?? first, order === 'asc' ? (place ?? first) : first);
  let to = Math.min(last, filter.toMicros ?? last, order === 'desc' ? (place ?? last) : last);
  if (spans.length === 0 || from >= to) return null;
  if (countEntries(spans, from, to) < request.entries * 2) return null;
  const [start, end] = [from, to];
  for (let step = 0; step < bisectionsMax && to - from > 1; step++) {
    const middle = Math.floor((from + to) / 2);
    const entries = order === 'desc' ? countEntries(spans, middle, end) : countEntries(spans, start, middle);
    if (entries > request.entries === (order === 'desc')) from = middle;
    else to = middle;
  }
  return order === 'desc'
    ? { fromMicros: from, toMicros: filter.toMicros }
    : { fromMicros: filter.fromMicros, toMicros: to };
}

const usualBytes = 1_024; // per entry, before compression

/** Whether reading the whole table costs less than planning a statement for each index. */
export function isSmall(spans: readonly PartSpan[], entriesMax: number): boolean {
  const entries = spans.reduce((sum, span) => sum + span.entries, 0);
  const bytes = spans.reduce((sum, span) => sum + span.bytes, 0);
  return entries <= entriesMax && bytes <= entriesMax * usualBytes;
}

/** Estimates the number of entries in a span; the end is exclusive. */
export function sumEntries(spans: readonly PartSpan[], { fromMicros, toMicros }: Span): number {
  return countEntries(spans, fromMicros ?? 0, (toMicros ?? Number.POSITIVE_INFINITY) - 1);
}

/** Assumes that each part's entries are spread evenly over its time range. */
function countEntries(spans: readonly PartSpan[], fromMicros: number, toMicros: number): number {
  let entries = 0;
  for (const span of spans) {
    const length = span.toMicros - span.fromMicros + 1;
    const shared = Math.min(span.toMicros, toMicros) - Math.max(span.fromMicros, fromMicros) + 1;
    if (shared > 0) entries += (span.entries * shared) / length;
  }
  return entries;
}

export const sampleEntries = 500; // evaluating them takes about a millisecond
const freshMs = 60_000;
const projectsMax = 8; // half a megabyte each

type Sample = { at: number; entries: Promise<readonly MatchableEntry[]> };

/** Caches some of the newest entries of each project. */
export class RecentSample {
  readonly #load: (project: string) => Promise<readonly LogEntry[]>;
  /** Samples by project, the most recently loaded last. */
  readonly #samples = new Map<string, Sample>();

  constructor(load: (project: string) => Promise<readonly LogEntry[]>) {
    this.#load = load;
  }

  /** Returns the share of the project's recent entries that match; null without entries. */
  async findShare({ project, datasets, condition }: LogFilter): Promise<number | null> {
    const entries = await this.#read(project).catch(() => []); // the query itself will report a failure
    if (entries.length === 0) return null;
    const isMatch = compileCondition(approximate(condition));
    const matches = entries.filter(
      candidate => (datasets === null || datasets.includes(candidate.entry.dataset)) && isMatch(candidate),
    );
    return matches.length / entries.length;
  }

  #read(project: string): Promise<readonly MatchableEntry[]> {
    const now = performance.now();
    const known = this.#samples.get(project);
    if (known !== undefined && now - known.at < freshMs) return known.entries;
    const entries = this.#load(project).then(loaded => loaded.map(entry => new MatchableEntry(entry)));
    this.#samples.delete(project);
    this.#samples.set(project, { at: now, entries });
    entries.catch(() => this.#samples.delete(project));
    for (const oldest of [...this.#samples.keys()].slice(0, -projectsMax)) this.#samples.delete(oldest);
    return entries;
  }
}

/** Replaces expressions by texts that their matches contain, because expressions may be slow on long texts. */
function approximate(condition: Condition): Condition {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return { kind: condition.kind, trees: condition.trees.map(approximate) };
    case 'not':
      return { kind: 'not', tree: approximate(condition.tree) };
    case 'matches': {
      const alternatives = listAlternatives(condition);
      if (alternatives !== null) return { kind: 'or', trees: alternatives.map(approximate) };
      const parts = condition.field.kind === 'body' ? findLiterals(condition.expression) : [];
      return parts.length === 0 ? everything : { kind: 'body', values: [{ kind: 'holds', parts }] };
    }
    default:
      return condition;
  }
}

/** Excludes entries before the place where the page continues. */
export function startAtCursor<Bounds extends TimeWindow>(
  bounds: Bounds,
  { order, after }: Pick<LogPage, 'order' | 'after'>,
): Bounds {
  const micros = after === null ? null : (parseTraceId(after)?.timestampMicros ?? null);
  if (micros === null) return bounds;
  return order === 'desc'
    ? { ...bounds, toMicros: Math.min(micros, bounds.toMicros ?? micros) }
    : { ...bounds, fromMicros: Math.max(micros, bounds.fromMicros ?? micros) };
}

/** Returns the filter for the times after the window, without gap or overlap; null if none are left. */
export function skipWindow(
  filter: LogFilter,
  { fromMicros, toMicros }: TimeWindow,
  order: LogOrder,
): LogFilter | null {
  if (order === 'desc') return fromMicros === null ? null : { ...filter, toMicros: fromMicros - 1 };
  return toMicros === null ? null : { ...filter, fromMicros: toMicros + 1 };
}
