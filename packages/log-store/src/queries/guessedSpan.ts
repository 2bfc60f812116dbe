/**
 * Guesses the span of time that holds the first so many entries of an order. Looking there first answers most questions
 * without opening every part of the table. A wrong guess costs time, never entries: a question that finds too few looks again.
 */

import { type LogFilter, type LogOrder, parseTraceId } from '@tapedeck/log-entries';
import type { Part } from './parts.ts';

/** The time span of a part's entries. */
type PartSpan = Pick<Part, 'fromMicros' | 'toMicros' | 'entries'>;

type TimeWindow = { fromMicros: number | null; toMicros: number | null };

const spansFreshMs = 5_000; // entries that came since lie beyond the newest end, where every question looks
const bisectionsMax = 50; // from centuries down to microseconds

/** Remembers the spans of all parts for some seconds. */
export class PartSpans {
  readonly #load: () => Promise<readonly PartSpan[]>;
  #loaded: Promise<readonly PartSpan[]> | null = null;
  #loadedAt = 0;

  constructor(load: () => Promise<readonly PartSpan[]>) {
    this.#load = load;
  }

  async list(): Promise<readonly PartSpan[]> {
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
}

type WindowRequest = {
  filter: Pick<LogFilter, 'fromMicros' | 'toMicros'>;
  order: LogOrder;
  after: string | null;
  entries: number;
};

/** null when the entries asked about are not many more than that. */
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

/** As if each part's entries lay evenly in its span. */
function countEntries(spans: readonly PartSpan[], fromMicros: number, toMicros: number): number {
  let entries = 0;
  for (const span of spans) {
    const length = span.toMicros - span.fromMicros + 1;
    const shared = Math.min(span.toMicros, toMicros) - Math.max(span.fromMicros, fromMicros) + 1;
    if (shared > 0) entries += (span.entries * shared) / length;
  }
  return entries;
}
