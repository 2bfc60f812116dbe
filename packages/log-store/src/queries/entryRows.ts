/**
 * Reads entries from rows, within a limit of memory: a page of a hundred entries may hold four hundred megabytes. Keeps only the places of
 * entries beyond the limit, so that they can be read when they are written.
 */
import { composeTraceId, countCharacters, type LogEntry, type UnreadEntry } from '@tapedeck/log-entries';
import { findPattern } from '@tapedeck/log-patterns';
import { endOfReading, parseRow, type Row, type Statement } from '../writer/engine/statements.ts';
import { patternText, unknownPattern } from './fields.ts';
import { type Runner, type RunOptions, runQuery } from './queryRunner.ts';
import { plainSettings, wholeMapSettings } from './querySettings.ts';

/** In the order that `readEntry` expects. */
export const entryColumns = `toUnixTimestamp64Micro(timestamp), lower(hex(identity)), parentId, level, resource, body, metadata, dataset, ${patternText}`;

export function readEntry(row: Row): LogEntry {
  // Matches `entryColumns`.
  const [timestampMicros, identity, parentId, level, resource, body, metadata, dataset, pattern] = row as [
    number,
    string,
    string,
    LogEntry['level'],
    string,
    string,
    LogEntry['metadata'],
    string,
    string,
  ];
  const traceId = composeTraceId(timestampMicros, identity);
  const known = pattern === unknownPattern ? findPattern(body).pattern : pattern;
  return { traceId, parentId, timestampMicros, dataset, level, resource, body, pattern: known, metadata };
}

/** Enough for any usual page. */
export const pageCharactersMax = 8 * 1024 * 1024;

export type PageEntry = LogEntry | UnreadEntry;

export type FoundPage = { readonly entries: readonly PageEntry[]; readonly hasMore: boolean };

/** The characters that a page may still keep in memory, for all of its statements together. */
export class PageRoom {
  #left: number;

  constructor(charactersMax = pageCharactersMax) {
    this.#left = charactersMax;
  }

  get isUsedUp(): boolean {
    return this.#left < 0;
  }

  useUp(): void {
    this.#left = -1;
  }

  /** Reads a line of `entryColumns`, or ends the statement. */
  readonly read = (line: string): Row | Promise<Row> => {
    this.#left -= line.length;
    return this.isUsedUp ? endOfReading : parseRow(line);
  };
}

/** The place of an entry, and the length of its texts. */
const placeColumns =
  'toUnixTimestamp64Micro(timestamp), lower(hex(identity)), byteSize(body) + byteSize(metadata)';

function readPlace(row: Row): UnreadEntry {
  const [timestampMicros, identity, characters] = row as [number, string, number]; // matches `placeColumns`
  return { traceId: composeTraceId(timestampMicros, identity), timestampMicros, characters };
}

type EntryOptions = RunOptions & { room: PageRoom };

/** `formatSql` formats a statement that selects these columns. */
type EntryStatement = Omit<Statement, 'sql'> & { formatSql(columns: string): string };

/** Queries entries. If they take too much memory, the engine stops sending them, and a second statement returns only the places of all. */
export async function queryEntries(
  runner: Runner,
  { weight, signal, room }: EntryOptions,
  { formatSql, ...statement }: EntryStatement,
): Promise<PageEntry[]> {
  const entries: LogEntry[] = [];
  if (!room.isUsedUp) {
    const options = { weight, signal, read: room.read };
    const rows = await runQuery(runner, options, { ...statement, sql: formatSql(entryColumns) });
    for (const row of rows) if (row !== endOfReading) entries.push(readEntry(row));
    if (entries.length === rows.length) return entries;
    room.useUp(); // another caller's reader may have read these rows
  }
  const places = await runQuery(runner, { weight, signal }, { ...statement, sql: formatSql(placeColumns) });
  const known = new Map(entries.map(entry => [entry.traceId, entry]));
  return places.map(readPlace).map(place => known.get(place.traceId) ?? place);
}

/** Uses all threads even for few rows: each row is in a different block, and the page needs all of them. */
const scatteredSettings = {
  merge_tree_min_rows_for_concurrent_read: 4_096,
  merge_tree_min_bytes_for_concurrent_read: 1,
};

/** Uses one thread per statement: threads that read ahead would decompress blocks that the page does not need. */
const needleSettings = { merge_tree_min_rows_for_concurrent_read: 1_000_000_000 };

type PageKind = {
  /** Whether the key leads to its entries. */
  isOfKey: boolean;
  /** Whether one statement finds the whole page. */
  isWhole: boolean;
  /** Whether the blocks of its entries are known. */
  isScattered: boolean;
};

export function composePageSettings({ isOfKey, isWhole, isScattered }: PageKind): Record<string, number> {
  return {
    ...(isOfKey ? plainSettings : {}),
    ...wholeMapSettings,
    ...(isWhole ? {} : needleSettings),
    ...(isScattered ? scatteredSettings : {}),
  };
}

/** Splits a page where the first unread entry comes. Read entries after it become unread again. */
export function splitPage(page: readonly PageEntry[]): { entries: LogEntry[]; unread: UnreadEntry[] } {
  const entries: LogEntry[] = [];
  const unread: UnreadEntry[] = [];
  for (const entry of page) {
    if (!('body' in entry)) unread.push(entry);
    else if (unread.length === 0) entries.push(entry);
    else {
      const { traceId, timestampMicros } = entry;
      unread.push({ traceId, timestampMicros, characters: countCharacters(entry) });
    }
  }
  return { entries, unread };
}
