/**
 * Reads pages of rare matches if their minutes are known. The key of the table leads to the blocks of those minutes. The index of pairs
 * alone would lead to every block with an entry of a subject, even if another condition then excludes all of its entries.
 */
import type { LogFilter, LogOrder, LogPage } from '@tapedeck/log-entries';
import { type Binder, bindMicros } from '../writer/engine/statements.ts';
import type { FoundPage, PageEntry } from './entryRows.ts';
import { startAtCursor } from './pageGuesses.ts';

/** Minutes since 1970, ascending, with an upper estimate of their matches. */
type Minutes = readonly { minute: number; entries: number }[];

/** The minutes of all matches that arrived before the end. `isExact`: the filter has no other conditions, so each entry matches. */
export type EntryMinutes = { endMicros: number; minutes: Minutes; isExact: boolean };

export type KnownMinutes = {
  /** Finds the minutes of matches; null if they are unknown. */
  find(filter: LogFilter, signal: AbortSignal): Promise<EntryMinutes | null>;
};

/** Narrows a statement to entries of some minutes that arrived before the end, or to all that arrived since. */
export type Narrowing = { before: EntryMinutes } | { sinceMicros: number };

type Ask = (filter: LogFilter, page: LogPage, narrowing: Narrowing) => Promise<FoundPage>;

const minuteMicros = 60_000_000;
const growth = 4; // factor for the next look: other conditions may exclude almost everything
const inexactFactor = 4; // a block costs a millisecond or two, a statement twenty: words in every tenth entry then need no third statement
const minutesMax = 5_000; // per statement

/** Finds a page; null if its minutes are unknown, or if the page has an offset. */
export async function findInMinutes(
  minutes: KnownMinutes | null,
  filter: LogFilter,
  { page, ask }: { page: LogPage & { signal: AbortSignal }; ask: Ask },
): Promise<FoundPage | null> {
  if (minutes === null || page.offset > 0) return null;
  const known = await minutes.find(filter, page.signal);
  if (known === null) return null;
  const since = ask(filter, page, { sinceMicros: known.endMicros });
  since.catch(() => {}); // awaited below
  const entries = await findBefore(known, startAtCursor(filter, page), { page, ask });
  const fresh = await since;
  const all = sortEntries([...entries, ...fresh.entries], page.order);
  return { entries: all.slice(0, page.limit), hasMore: all.length > page.limit || fresh.hasMore };
}

/** Finds one match more than the page holds, if possible. Reads the minutes that come first in the order first. */
async function findBefore(
  known: EntryMinutes,
  filter: LogFilter,
  { page, ask }: { page: LogPage; ask: Ask },
): Promise<PageEntry[]> {
  const isDescending = page.order === 'desc';
  const within = known.minutes.filter(({ minute }) => isWithin(minute, filter));
  let left = isDescending ? within.toReversed() : within;
  let rest: LogFilter = filter;
  const found: PageEntry[] = [];
  const wantedFirst = (page.limit + 1) * (known.isExact ? 1 : inexactFactor);
  for (let wanted = wantedFirst; left.length > 0 && found.length <= page.limit; wanted *= growth) {
    const length = countMinutes(left, wanted);
    const minutes = left.slice(0, length);
    left = left.slice(length);
    const edge = minutes.at(-1)?.minute ?? 0;
    const window = isDescending
      ? { fromMicros: Math.max(edge * minuteMicros, rest.fromMicros ?? 0) }
      : { toMicros: Math.min((edge + 1) * minuteMicros - 1, rest.toMicros ?? Number.POSITIVE_INFINITY) };
    const request = { ...page, limit: page.limit + 1 - found.length };
    const { entries } = await ask({ ...rest, ...window }, request, { before: { ...known, minutes } });
    found.push(...entries);
    rest = isDescending
      ? { ...rest, toMicros: edge * minuteMicros - 1 }
      : { ...rest, fromMicros: (edge + 1) * minuteMicros };
  }
  return found;
}

/** Counts the first minutes that together hold the wanted number of matches. */
function countMinutes(minutes: Minutes, wanted: number): number {
  let sum = 0;
  const last = minutes.findIndex(({ entries }) => {
    sum += entries;
    return sum >= wanted;
  });
  return Math.min(last === -1 ? minutes.length : last + 1, minutesMax);
}

function isWithin(minute: number, { fromMicros, toMicros }: LogFilter): boolean {
  const first = minute * minuteMicros;
  return (fromMicros ?? first) < first + minuteMicros && (toMicros ?? first) >= first;
}

export function sortEntries(entries: PageEntry[], order: LogOrder): PageEntry[] {
  const sign = order === 'asc' ? 1 : -1;
  return entries.sort((one, other) => (one.traceId < other.traceId ? -sign : sign));
}

/** Formats conditions to append. The minutes only lead to blocks; the other conditions decide. */
export function formatNarrowing(narrowing: Narrowing, binder: Binder): string {
  if ('sinceMicros' in narrowing) return ` AND arrivedAt >= ${bindMicros(narrowing.sinceMicros, binder)}`;
  const { endMicros, minutes } = narrowing.before;
  const starts = minutes.map(({ minute }) => minute * 60);
  return ` AND indexHint(toStartOfMinute(timestamp) IN ${binder.bind("Array(DateTime('UTC'))", `[${starts}]`)})
    AND arrivedAt < ${bindMicros(endMicros, binder)}`;
}
