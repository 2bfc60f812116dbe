/** The log search in the address, in plain text so that users can read, share and save it. */
import type { LogQuestion, LogRequest, Order } from '../../queries/logs.ts';
import { carryParameters } from './parameters.ts';

export type LogSearch = {
  /** Absent: the whole project. */
  dataset?: string | undefined;
  query?: string | undefined;
  /** One of `ranges`, up to now. */
  range?: string | undefined;
  /** Replaces the range. */
  from?: string | undefined;
  to?: string | undefined;
  /** The id of the open entry. */
  entry?: string | undefined;
  /** Present: live mode. Excludes an end. */
  live?: string | undefined;
  /** `asc`: oldest first, except in live mode. */
  order?: string | undefined;
  /** Fields shown as columns. */
  columns?: string | undefined;
  /** The statistic to chart instead of levels over time. */
  chart?: string | undefined;
  /** The statistic's field, the field to group by, and the number of groups. */
  of?: string | undefined;
  by?: string | undefined;
  top?: string | undefined;
  /** `patterns` or `compare` replaces the entries. */
  tab?: string | undefined;
  /** The span to compare with: a `day` or `week` earlier; else the time just before. */
  against?: string | undefined;
  /** `firstSeen`: newest patterns first. */
  sort?: string | undefined;
  /** Present: only patterns first seen in this time. */
  new?: string | undefined;
  /** The last opened view; the search may have changed since. */
  view?: string | undefined;
};

/** Keys that decide which entries match. */
const questionKeys = ['dataset', 'query', 'range', 'from', 'to'] as const;
/** Keys for the look: saved in views, without effect on the matches. */
const lookKeys = ['order', 'columns', 'chart', 'of', 'by', 'top', 'tab', 'against', 'sort', 'new'] as const;
const keys = [...questionKeys, ...lookKeys, 'entry', 'live', 'view'] as const;

const hourMs = 3_600_000;
const momentMs = hourMs / 12; // to each side: shows what led to a crash, and its effects
export const ranges = [
  { value: '1m', label: 'Last minute', ms: hourMs / 60 },
  { value: '5m', label: 'Last 5 minutes', ms: hourMs / 12 },
  { value: '15m', label: 'Last 15 minutes', ms: hourMs / 4 },
  { value: '1h', label: 'Last hour', ms: hourMs },
  { value: '6h', label: 'Last 6 hours', ms: 6 * hourMs },
  { value: '24h', label: 'Last 24 hours', ms: 24 * hourMs },
  { value: '7d', label: 'Last 7 days', ms: 7 * 24 * hourMs },
  { value: '30d', label: 'Last 30 days', ms: 30 * 24 * hourMs },
  { value: 'all', label: 'All time', ms: null },
] as const;
const anyDataset = '*'; // the API's name; the address omits it
const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
export const usualRange = '24h';

/** Reads any address and ignores unknown parts. Turns filters of older addresses into query terms. */
export function readLogSearch(raw: Readonly<Record<string, unknown>>): LogSearch {
  const texts = Object.fromEntries(
    Object.entries(raw).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
  const query = carryParameters(texts);
  const read = Object.entries({ ...texts, query }).filter(
    ([key, value]) =>
      keys.some(known => known === key) &&
      value.trim() !== '' &&
      (!isInstantKey(key) || isInstant(value)) &&
      !(key === 'dataset' && value === anyDataset),
  );
  // It has only known keys with text.
  return endLive(Object.fromEntries(read) as LogSearch);
}

/** An end excludes new entries. */
function endLive({ live, ...search }: LogSearch): LogSearch {
  return live === undefined || search.to !== undefined ? search : { ...search, live };
}

/** Live mode shows new entries at the top. */
export function orderOf({ order, live }: LogSearch): Order {
  return order === 'asc' && live === undefined ? 'asc' : 'desc';
}

/** Searches the time around an entry without the query; keeps dataset and layout. */
export function searchAround(search: LogSearch, entry: { traceId: string; timestamp: string }): LogSearch {
  const at = Date.parse(entry.timestamp);
  return {
    ...pick(search, ['dataset', ...lookKeys]),
    from: new Date(at - momentMs).toISOString(),
    to: new Date(at + momentMs).toISOString(),
    entry: entry.traceId,
  };
}

/** A traceId starts with its entry's time: milliseconds, a 7, microseconds. */
export function timeOf(traceId: string): string | null {
  const [, millis, micros] = /^([0-9a-f]{12})7([0-9a-f]{3})/.exec(traceId) ?? [];
  const date = new Date(Number.parseInt(millis ?? '', 16));
  if (Number.isNaN(date.getTime())) return null;
  return `${date.toISOString().slice(0, -1)}${String(Number.parseInt(micros ?? '', 16)).padStart(3, '0')}Z`;
}

/** Accepts what the service accepts. `Date.parse` also takes days without a time and times without a zone. */
function isInstant(text: string): boolean {
  return instantPattern.test(text) && !Number.isNaN(Date.parse(text));
}

function isInstantKey(key: string): boolean {
  return key === 'from' || key === 'to';
}

/** True if the search has more than a time. */
export function narrows(search: LogSearch): boolean {
  return keyOf({ ...search, range: undefined, from: undefined, to: undefined }) !== '';
}

/** Clears everything but time and look. */
export function withoutNarrowing(): LogSearch {
  return { dataset: undefined, query: undefined, entry: undefined };
}

/** Replaces a relative range with its current times. */
export function pinTime({ range, live: _live, ...search }: LogSearch, now: number): LogSearch {
  const { from, to } = composeLogQuestion({ range, ...search }, now);
  return { ...search, ...(from === undefined && { range }), from, to: to ?? new Date(now).toISOString() };
}

/** Returns the query to send now. */
export function composeLogQuestion(search: LogSearch, now: number): LogQuestion {
  const { dataset = anyDataset, query, from, to } = search;
  return {
    dataset,
    ...(query !== undefined && { query }),
    from: from ?? (to === undefined ? startOf(search, now) : undefined),
    to,
  };
}

function startOf({ range = usualRange }: LogSearch, now: number): string | undefined {
  const { ms } = ranges.find(({ value }) => value === range) ?? { ms: 24 * hourMs };
  return ms === null ? undefined : new Date(now - ms).toISOString();
}

/** Returns equal keys for searches with the same matches. Ignores the open entry, live mode and look. */
export function keyOf(search: LogSearch): string {
  return writeSearch(pick(search, questionKeys));
}

export function makeLogRequest(search: LogSearch): LogRequest {
  return { key: keyOf(search), question: () => composeLogQuestion(search, Date.now()) };
}

/** The parts of a search that a saved view keeps. */
export function writeView(search: LogSearch): string {
  return writeSearch(pick(search, [...questionKeys, ...lookKeys]));
}

function pick(search: LogSearch, picked: readonly (keyof LogSearch)[]): LogSearch {
  return Object.fromEntries(picked.flatMap(key => (search[key] === undefined ? [] : [[key, search[key]]])));
}

/** Writes the address's query string. */
export function writeSearch(search: LogSearch): string {
  const filled = Object.entries(search).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return new URLSearchParams(filled.sort(([one], [other]) => (one < other ? -1 : 1))).toString();
}

export function openView({ id, query }: { id: string; query: string }): LogSearch {
  return { ...parseSearch(query), view: id };
}

export function parseSearch(query: string): LogSearch {
  return readLogSearch(Object.fromEntries(new URLSearchParams(query)));
}
