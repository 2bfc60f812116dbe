/** Merges log entries and files that match a query into a single list, newest first, in pages with a cursor. */
import { type FileQuery, parseFileQuery } from '@tapedeck/log-query-language';
import { type CursorKey, readSignedPosition, writeSignedPosition } from '../files/cursor.ts';
import { narrowFilter } from '../files/fileLookup.ts';
import { usualSort } from '../files/librarySearch.ts';
import type { Reader } from '../identity/principals.ts';
import type { FileRecords, FileTimes, StoredFile } from '../ports/files.ts';
import type { LogEntry, LogFilter, LogQueries, UnreadEntry } from '../ports/logQueries.ts';
import { limits, type timelineKinds } from '../vocabulary.ts';

export type TimelineDeps = {
  logQueries: Pick<LogQueries, 'findEntries' | 'countEntries' | 'streamListed'>;
  files: Pick<FileRecords, 'search'>;
  secret: string;
};

export type TimelineKind = (typeof timelineKinds)[number];

export type TimelineRow =
  | { kind: 'entry'; entry: LogEntry | UnreadEntry }
  | { kind: 'file'; file: StoredFile };

export type TimelineQuestion = { entries: LogFilter; files: FileQuery | null };

type TimelineRequest = {
  question: TimelineQuestion;
  /** null: both. */
  kind: TimelineKind | null;
  limit: number | undefined;
  cursor: string | undefined;
  includeTotal: boolean;
};

type FoundTimeline = {
  rows: TimelineRow[];
  limit: number;
  hasMore: boolean;
  nextCursor: string | null;
  /** 0 unless requested. */
  total: number;
};

/** The last row of a page. At the same moment, files come before entries. */
type Place =
  | { kind: 'entry'; traceId: string; micros: number }
  | { kind: 'file'; micros: number; position: number };

/** Where both lists continue. */
type Starts = {
  entries: { after: string | null; toMicros: number | null };
  files: { belowPosition: number | null; toMs: number | null };
};

export async function findTimeline(
  deps: TimelineDeps,
  reader: Reader,
  { request, signal }: { request: TimelineRequest; signal: AbortSignal },
): Promise<FoundTimeline> {
  const { question, kind } = request;
  const limit = Math.min(request.limit ?? limits.pageSizeDefault, limits.pageSizeMax);
  const signer = { secret: deps.secret, scope: `timeline ${reader.project.slug}` };
  const starts = findStarts(signer, request.cursor);
  // One extra row tells whether there is a next page.
  const [entries, files, total] = await Promise.all([
    kind === 'file' ? [] : listEntries(deps, question, { ...starts.entries, limit: limit + 1, signal }),
    kind === 'entry' ? [] : listFiles(deps, reader, { question, ...starts.files, limit: limit + 1 }),
    request.includeTotal ? countRows(deps, reader, { question, kind, signal }) : 0,
  ]);
  const placed = [...entries, ...files].toSorted(compareRows);
  const page = placed.slice(0, limit);
  const last = page.at(-1);
  const hasMore = placed.length > limit && last !== undefined;
  const nextCursor = hasMore ? writeSignedPosition(signer, last.place) : null;
  return { rows: page.map(({ row }) => row), limit, hasMore, nextCursor, total };
}

type PlacedRow = { row: TimelineRow; place: Place };

/** Both lists are already in this order; the sort is stable. */
function compareRows({ place: one }: PlacedRow, { place: other }: PlacedRow): number {
  if (one.micros !== other.micros) return other.micros - one.micros;
  return Number(one.kind === 'entry') - Number(other.kind === 'entry');
}

function findStarts(signer: CursorKey, cursor: string | undefined): Starts {
  if (cursor === undefined)
    return { entries: { after: null, toMicros: null }, files: { belowPosition: null, toMs: null } };
  // Only this file signs under this list's scope.
  const place = readSignedPosition(signer, cursor) as Place;
  const { micros } = place;
  return place.kind === 'entry'
    ? {
        entries: { after: place.traceId, toMicros: null },
        files: { belowPosition: null, toMs: Math.ceil(micros / 1000) - 1 },
      }
    : {
        entries: { after: null, toMicros: micros },
        files: { belowPosition: place.position, toMs: null },
      };
}

async function listEntries(
  { logQueries }: TimelineDeps,
  { entries: filter }: TimelineQuestion,
  { after, toMicros, limit, signal }: Starts['entries'] & { limit: number; signal: AbortSignal },
): Promise<PlacedRow[]> {
  const bounded = { ...filter, toMicros: earlier(filter.toMicros, toMicros) };
  const page = { order: 'desc', limit, offset: 0, after } as const;
  const { entries, unread } = await logQueries.findEntries(bounded, page, signal);
  return [...entries, ...unread].map(entry => ({
    row: { kind: 'entry', entry },
    place: { kind: 'entry', traceId: entry.traceId, micros: entry.timestampMicros },
  }));
}

async function listFiles(
  { files }: TimelineDeps,
  reader: Reader,
  { question, belowPosition, toMs, limit }: Starts['files'] & { question: TimelineQuestion; limit: number },
): Promise<PlacedRow[]> {
  const times = readFileTimes(question.entries);
  const found = await files.search(reader.project.slug, {
    filter: narrowFilter(reader, anyFile),
    times: { ...times, toMs: earlier(times.toMs, toMs) },
    query: question.files,
    sort: usualSort,
    from: belowPosition === null ? { offset: 0 } : { after: { position: belowPosition, value: null } },
    limit,
  });
  return found.files.map((file, index) => ({
    row: { kind: 'file', file },
    place: { kind: 'file', micros: file.listedAt * 1000, position: found.places[index]?.position ?? 0 },
  }));
}

async function countRows(
  { logQueries, files }: TimelineDeps,
  reader: Reader,
  { question, kind, signal }: Pick<TimelineRequest, 'question' | 'kind'> & { signal: AbortSignal },
): Promise<number> {
  const search = {
    filter: narrowFilter(reader, anyFile),
    times: readFileTimes(question.entries),
    query: question.files,
    sort: usualSort,
    from: { offset: 0 },
    limit: 1,
  };
  const [entries, found] = await Promise.all([
    kind === 'file' ? 0 : logQueries.countEntries(question.entries, signal),
    kind === 'entry' ? { total: 0 } : files.search(reader.project.slug, search),
  ]);
  return entries + found.total;
}

export const anyFile = { type: null, path: '', terms: [], metadata: [] } as const;

/** Returns the whole milliseconds within the entries' time range. */
export function readFileTimes({
  fromMicros,
  toMicros,
}: Pick<LogFilter, 'fromMicros' | 'toMicros'>): FileTimes {
  return {
    fromMs: fromMicros === null ? null : Math.ceil(fromMicros / 1000),
    toMs: toMicros === null ? null : Math.floor(toMicros / 1000),
  };
}

/** Parses the query for each list: a name that is not a field of a list is a metadata path there. */
export function readTimelineQuery(filter: LogFilter, text: string): TimelineQuestion {
  return { entries: filter, files: parseFileQuery(text) };
}

function earlier(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
