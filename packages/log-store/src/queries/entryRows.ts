/**
 * Reads entries from rows, within a limit of memory: a page of a hundred entries may hold four hundred megabytes. Keeps only the places of
 * entries beyond the limit, so that they can be read when they are written.
 */
import { composeTraceId, isUnread, type LogEntry, type UnreadEntry } from '@tapedeck/log-entries';
import { findPattern } from '@tapedeck/log-patterns';
import { parseRow, type Row } from '../writer/engine/statements.ts';
import { patternText, unknownPattern } from './fields.ts';

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

/** Reads one line of the engine's answer. */
export type ReadLine = (line: string) => Row | Promise<Row>;

/** Opens a reader for `entryColumns`. Beyond the limit, for all lines together, its rows hold only the place of an entry. */
export function openLineReader(charactersMax = pageCharactersMax): ReadLine {
  let left = charactersMax;
  return line => {
    left -= line.length;
    return left >= 0 ? parseRow(line) : readPlace(line);
  };
}

/** Time and identity come first in `entryColumns`. */
const placePattern = /^\[\s*(\d+),\s*"([0-9a-f]+)"/;
const placeColumns = 3;

function readPlace(line: string): Row {
  const [, micros, identity] = placePattern.exec(line) ?? [];
  return [Number(micros), identity, line.length];
}

/** Reads a row of a line reader. */
export function readPageEntry(row: Row): PageEntry {
  if (row.length !== placeColumns) return readEntry(row);
  const [timestampMicros, identity, characters] = row as [number, string, number]; // matches `readPlace`
  return { traceId: composeTraceId(timestampMicros, identity), timestampMicros, characters };
}

/** Splits a page where the first unread entry comes. Read entries after it become unread again. */
export function splitPage(page: readonly PageEntry[]): { entries: LogEntry[]; unread: UnreadEntry[] } {
  const entries: LogEntry[] = [];
  const unread: UnreadEntry[] = [];
  for (const entry of page) {
    if (isUnread(entry)) unread.push(entry);
    else if (unread.length === 0) entries.push(entry);
    else {
      const { traceId, timestampMicros } = entry;
      unread.push({ traceId, timestampMicros, characters: countCharacters(entry) });
    }
  }
  return { entries, unread };
}

/** Roughly, because escapes do not count. */
function countCharacters({ body, metadata }: LogEntry): number {
  return Object.entries(metadata).reduce(
    (sum, [path, value]) => sum + path.length + value.length,
    body.length,
  );
}
