/**
 * Reads pages of rare matches from a large table. An index leads to each match wherever it lies, so finding all of them
 * costs as much for a page of fifty as for a thousand. So the times that come first in the order are searched first,
 * and most pages are full by then.
 */
import type { FoundLogs, LogEntry, LogFilter, LogOrder, LogPage } from '@tapedeck/log-entries';
import { guessWindow, type PartSpan, sumEntries } from './pageGuesses.ts';

const firstEntries = 300_000; // some forty blocks: if each of them holds matches, they are read in as many milliseconds
const firstShareMax = 1 / 8;
const growthMax = 16; // times what was looked at: few matches say little about how many more there are
const reserve = 1.3; // matches do not lie evenly
const restShareMax = 1 / 2; // of what is left; where more would be asked, all is

type Ask = (filter: LogFilter, page: LogPage) => Promise<FoundLogs>;

/** null where the table is small, or pages are counted from the start. */
export async function findInSlices(
  spans: readonly PartSpan[],
  filter: LogFilter,
  { page, ask, entriesMin }: { page: LogPage; ask: Ask; entriesMin: number },
): Promise<FoundLogs | null> {
  const { fromMicros, toMicros } = filter;
  const total = sumEntries(spans, { fromMicros, toMicros: toMicros === null ? null : toMicros + 1 });
  if (page.offset > 0 || total < entriesMin) return null;
  const found: LogEntry[] = [];
  let rest: LogFilter | null = filter;
  let [slice, looked] = [Math.min(firstEntries, total * firstShareMax), 0];
  while (rest !== null && found.length <= page.limit) {
    const isLast = slice > (total - looked) * restShareMax;
    const window: Window | null = isLast
      ? null
      : guessWindow(spans, { ...page, filter: rest, entries: slice });
    const { entries } = await ask({ ...rest, ...window }, { ...page, limit: page.limit + 1 - found.length });
    found.push(...entries);
    rest = window && leaveOut(rest, window, page.order);
    looked += slice;
    const missing = page.limit + 1 - found.length;
    slice = looked * Math.min(growthMax, (reserve * missing) / found.length);
  }
  return { entries: found.slice(0, page.limit), hasMore: found.length > page.limit };
}

type Window = Pick<LogFilter, 'fromMicros' | 'toMicros'>;

/** The part behind the window, including its bounds; null if there is none. */
function leaveOut(filter: LogFilter, { fromMicros, toMicros }: Window, order: LogOrder): LogFilter | null {
  if (order === 'desc') return fromMicros === null ? null : { ...filter, toMicros: fromMicros - 1 };
  return toMicros === null ? null : { ...filter, fromMicros: toMicros + 1 };
}
