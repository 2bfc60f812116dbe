/** Reads the requested entries in order. */
import type { TerminalEntry } from './entryText.ts';
import type { EntryOrder, EntrySource } from './source.ts';

export type Reading = {
  /** `log`: the newest `limit` entries, oldest first, like the end of a log file. */
  order: EntryOrder | 'log';
  /** null: all. */
  limit: number | null;
  /** Continues with new entries. */
  isFollowing: boolean;
  /** A user pages through the output, so that no request may stay open meanwhile. */
  isSlow: boolean;
};

/** Limits entries that are held until the oldest is known, and ids that followers remember as shown. */
export const readingMax = 100_000;

const pageEntries = 100; // the service's page size
const pagedMax = 1_000; // beyond ten pages, one stream is faster

type ReadingEvents = {
  /** The number of entries read but not shown yet. */
  onProgress(entries: number): void;
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
  const followed = source.follow()[Symbol.asyncIterator]();
  await followed.next(); // from now on it delivers new entries, so that no entry is missed between reading and following
  const shown = new Set<string>();
  for await (const entry of readInOrder(source, reading, events)) {
    shown.add(entry.traceId);
    yield entry;
  }
  for (let next = await followed.next(); !next.done; next = await followed.next()) {
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

/** Yields one entry more than the limit, if it exists. */
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
