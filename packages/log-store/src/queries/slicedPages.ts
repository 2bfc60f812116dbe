/**
 * Reads pages of rare matches from a large table. An index leads to all matches of any time, so a page of fifty would cost
 * as much as one of a thousand. To avoid that, this searches the first times in the order first, which fills most pages.
 */
import type { LogFilter, LogPage } from '@tapedeck/log-entries';
import type { FoundPage, PageEntry } from './entryRows.ts';
import { guessWindow, type PartSpan, skipWindow, sumEntries } from './pageGuesses.ts';

const firstEntries = 300_000; // about forty blocks: even if all of them hold matches, reading them takes about forty milliseconds
const firstShareMax = 1 / 8;
const growthMax = 16; // maximum factor for the next slice: few matches say little about the rest
const reserve = 1.3; // matches are not evenly distributed
const restShareMax = 1 / 2; // of the rest; if the next slice would be larger, it covers all of the rest

type Ask = (filter: LogFilter, page: LogPage) => Promise<FoundPage>;

/** Finds a page; null if the table is small, or if the page has an offset. */
export async function findInSlices(
  spans: readonly PartSpan[],
  filter: LogFilter,
  { page, ask, entriesMin }: { page: LogPage; ask: Ask; entriesMin: number },
): Promise<FoundPage | null> {
  const { fromMicros, toMicros } = filter;
  const total = sumEntries(spans, { fromMicros, toMicros: toMicros === null ? null : toMicros + 1 });
  if (page.offset > 0 || total < entriesMin) return null;
  const found: PageEntry[] = [];
  let rest: LogFilter | null = filter;
  let [slice, looked] = [Math.min(firstEntries, total * firstShareMax), 0];
  while (rest !== null && found.length <= page.limit) {
    const isLast = slice > (total - looked) * restShareMax;
    const window: Window | null = isLast
      ? null
      : guessWindow(spans, { ...page, filter: rest, entries: slice });
    const { entries } = await ask({ ...rest, ...window }, { ...page, limit: page.limit + 1 - found.length });
    found.push(...entries);
    rest = window && skipWindow(rest, window, page.order);
    looked += slice;
    const missing = page.limit + 1 - found.length;
    slice = looked * Math.min(growthMax, (reserve * missing) / found.length);
  }
  return { entries: found.slice(0, page.limit), hasMore: found.length > page.limit };
}

type Window = Pick<LogFilter, 'fromMicros' | 'toMicros'>;
