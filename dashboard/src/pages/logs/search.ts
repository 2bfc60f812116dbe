/** A search of logs as it stands in the address: plain texts, so that it can be read, shared and saved. */
import type { Asking, LogQuestion, Order } from '../../queries/logs.ts';
import { carryParameters } from './parameters.ts';

export type LogSearch = {
  /** Absent: all of the project. */
  dataset?: string | undefined;
  /** The query in the box. */
  query?: string | undefined;
  /** One of `ranges`, up to now. */
  range?: string | undefined;
  /** Instead of a range. */
  from?: string | undefined;
  to?: string | undefined;
  /** The entry that is open. */
  entry?: string | undefined;
  /** Present: what arrives is followed. Not with an end. */
  live?: string | undefined;
  /** `asc`: the oldest first, where nothing is followed. */
  order?: string | undefined;
  /** Fields that stand in columns. */
  columns?: string | undefined;
  /** The statistic that a chart draws in place of the levels over time. */
  chart?: string | undefined;
  /** The field that it is computed from, the field that parts it into lines, and how many of these. */
  of?: string | undefined;
  by?: string | undefined;
  top?: string | undefined;
  /** `patterns` and `compare` stand in place of the entries. */
  tab?: string | undefined;
  /** The span to compare with: a `day` or `week` earlier; else the time just before. */
  against?: string | undefined;
  /** `firstSeen`: of patterns those first that came last. */
  sort?: string | undefined;
  /** Present: of patterns those alone that nobody saw before this time. */
  new?: string | undefined;
  /** The saved view that was opened last; the search may have been changed since. */
  view?: string | undefined;
};

/** Keys of the question. */
const questionKeys = ['dataset', 'query', 'range', 'from', 'to'] as const;
/** How it is looked at: kept in saved views, and asks for no other entries. */
const lookKeys = ['order', 'columns', 'chart', 'of', 'by', 'top', 'tab', 'against', 'sort', 'new'] as const;
const keys = [...questionKeys, ...lookKeys, 'entry', 'live', 'view'] as const;

const hourMs = 3_600_000;
const momentMs = hourMs / 12; // on either side: what led to a crash, and what it led to
export const ranges = [
  { value: '15m', label: 'Last 15 minutes', ms: hourMs / 4 },
  { value: '1h', label: 'Last hour', ms: hourMs },
  { value: '6h', label: 'Last 6 hours', ms: 6 * hourMs },
  { value: '24h', label: 'Last 24 hours', ms: 24 * hourMs },
  { value: '7d', label: 'Last 7 days', ms: 7 * 24 * hourMs },
  { value: '30d', label: 'Last 30 days', ms: 30 * 24 * hourMs },
  { value: 'all', label: 'All time', ms: null },
] as const;
const anyDataset = '*'; // as the API names them; the address says so by nothing
const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
export const usualRange = '24h';

/** Reads any address; unknown parts are left out. Filters of older addresses become part of the query. */
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
  // Just reduced to the known keys with texts.
  return endLive(Object.fromEntries(read) as LogSearch);
}

/** New entries lie beyond any end. */
function endLive({ live, ...search }: LogSearch): LogSearch {
  return live === undefined || search.to !== undefined ? search : { ...search, live };
}

/** Live entries appear at the top. */
export function orderOf({ order, live }: LogSearch): Order {
  return order === 'asc' && live === undefined ? 'asc' : 'desc';
}

/** Searches the time around an entry without the query; dataset and layout stay. */
export function searchAround(search: LogSearch, entry: { traceId: string; timestamp: string }): LogSearch {
  const at = Date.parse(entry.timestamp);
  return {
    ...pick(search, ['dataset', ...lookKeys]),
    from: new Date(at - momentMs).toISOString(),
    to: new Date(at + momentMs).toISOString(),
    entry: entry.traceId,
  };
}

/** A traceId begins with its entry's time: milliseconds, a 7, microseconds. */
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

/** Whether anything but the time is asked for. */
export function narrows(search: LogSearch): boolean {
  return keyOf({ ...search, range: undefined, from: undefined, to: undefined }) !== '';
}

/** The change that leaves only the time, and the look. */
export function withoutNarrowing(): LogSearch {
  return { dataset: undefined, query: undefined, entry: undefined };
}

/** With the times that it means now. */
export function pinTime({ range, live: _live, ...search }: LogSearch, now: number): LogSearch {
  const { from, to } = askLogs({ range, ...search }, now);
  return { ...search, ...(from === undefined && { range }), from, to: to ?? new Date(now).toISOString() };
}

/** The question to the service at this moment. */
export function askLogs(search: LogSearch, now: number): LogQuestion {
  const { dataset = anyDataset, query, from, to } = search;
  return {
    dataset,
    ...(query !== undefined && { query }),
    from: from ?? (to === undefined ? startOf(search, now) : undefined),
    to,
  };
}

function startOf({ range = usualRange }: LogSearch, now: number): string | undefined {
  const { ms } = ranges.find(({ value }) => value === range) ?? ranges[3];
  return ms === null ? undefined : new Date(now - ms).toISOString();
}

/** Equal searches have equal keys; which entry is open, whether more is followed, and how it is looked at change nothing. */
export function keyOf(search: LogSearch): string {
  return writeSearch(pick(search, questionKeys));
}

export function makeAsking(search: LogSearch): Asking {
  return { key: keyOf(search), question: () => askLogs(search, Date.now()) };
}

/** The parts of a search that a saved view keeps. */
export function writeView(search: LogSearch): string {
  return writeSearch(pick(search, [...questionKeys, ...lookKeys]));
}

function pick(search: LogSearch, picked: readonly (keyof LogSearch)[]): LogSearch {
  return Object.fromEntries(picked.flatMap(key => (search[key] === undefined ? [] : [[key, search[key]]])));
}

/** Writes the part of the address behind the question mark. */
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
