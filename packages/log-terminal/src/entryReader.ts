/** Reads the entries that were asked for, in their order. */
import type { TerminalEntry } from './entryText.ts';
import type { EntryOrder, EntrySource } from './source.ts';

export type Reading = {
  /** `log`: the newest `limit`, the oldest of them first, as the end of a log file shows them. */
  order: EntryOrder | 'log';
  /** null: all. */
  limit: number | null;
  /** Goes on with what arrives. */
  isFollowing: boolean;
  /** Somebody turns pages, so that nothing may be held open meanwhile. */
  isSlow: boolean;
};

/** Entries that are held until the oldest of them is known, and those of which followers must know that they were shown. */
export const readingMax = 100_000;

const pageEntries = 100; // as many as the service gives
const pagedMax = 1_000; // beyond ten pages one stream is quicker

type ReadingEvents = {
  /** So many were read and not shown yet. */
  onProgress(entries: number): void;
  /** There are more than the limit. */
  onMore(): void;
  /** null: the source is back. */
  onBreak(error: Error | null): void;
};

export async function* readEntries(
  source: EntrySource,
  reading: Reading,
  events: ReadingEvents,
): AsyncGenerator<TerminalEntry> {
  if (!reading.isFollowing) return yield* readInOrder(source, reading, events);
  const told = source.follow()[Symbol.asyncIterator]();
  await told.next(); // from here on it delivers what arrives, so that whatever is read now is there or comes as well
  const shown = new Set<string>();
  for await (const entry of readInOrder(source, reading, events)) {
    shown.add(entry.traceId);
    yield entry;
  }
  for (let next = await told.next(); !next.done; next = await told.next()) {
    const { value } = next;
    if (value.kind !== 'entry') events.onBreak(value.kind === 'broken' ? value.error : null);
    else if (!shown.delete(value.entry.traceId)) yield value.entry;
  }
}

async function* readInOrder(
  source: EntrySource,
  reading: Reading,
  events: ReadingEvents,
): AsyncGenerator<TerminalEntry> {
  const { order, limit } = reading;
  if (order !== 'log') return yield* readUpTo(source, { ...reading, order }, events);
  if (limit === null) return yield* readUpTo(source, { ...reading, order: 'asc' }, events);
  const newest: TerminalEntry[] = [];
  for await (const entry of readUpTo(source, { ...reading, order: 'desc', isSlow: false }, events)) {
    newest.push(entry);
    events.onProgress(newest.length);
  }
  yield* newest.reverse();
}

async function* readUpTo(
  source: EntrySource,
  { order, limit, isSlow }: Reading & { order: EntryOrder },
  { onMore }: ReadingEvents,
): AsyncGenerator<TerminalEntry> {
  const most = limit ?? Number.POSITIVE_INFINITY;
  const entries = isSlow || most <= pagedMax ? readPages(source, order, most) : source.readAll(order);
  let count = 0;
  if (most === 0) return;
  for await (const entry of entries) {
    if (++count > most) return onMore();
    yield entry;
  }
}

/** One more than the limit, if it exists. */
async function* readPages(
  source: EntrySource,
  order: EntryOrder,
  most: number,
): AsyncGenerator<TerminalEntry> {
  let cursor: string | null = null;
  for (let left = most + 1; left > 0; ) {
    const page = await source.readPage({ order, limit: Math.min(left, pageEntries), cursor });
    yield* page.entries;
    left -= page.entries.length;
    cursor = page.nextCursor;
    if (cursor === null) return;
  }
}
