/** Serialises log entries: as objects, JSON lines, and CSV lines by RFC 4180. */

import type { LogEntry, LogQueries, UnreadEntry } from '@tapedeck/domain/ports/logQueries';
import { formatMicros } from '@tapedeck/log-entries';
import { writePieces } from '../longResponses.ts';

export const csvHeader = 'timestamp,level,resource,traceId,parentId,body,metadata\r\n';

export function presentEntry(entry: LogEntry) {
  const { traceId, parentId, timestampMicros, dataset, level, resource, body, pattern, metadata } = entry;
  const timestamp = formatMicros(timestampMicros);
  return { traceId, parentId, timestamp, dataset, level, resource, body, pattern, metadata };
}

export type ListedDeps = { logQueries: Pick<LogQueries, 'streamListed'> };

export type Listing = { project: string; listed: readonly (LogEntry | UnreadEntry)[]; signal: AbortSignal };

/** Yields the entries that still exist, reading those that took too much memory to hold. */
export async function* readListed(
  { logQueries }: ListedDeps,
  { project, listed, signal }: Listing,
): AsyncGenerator<LogEntry> {
  for await (const entry of logQueries.streamListed(project, listed, signal)) if (entry !== null) yield entry;
}

/** Returns the entries of a list, or streams them if some are unread. */
export function presentListed(
  deps: ListedDeps,
  listing: Listing,
): ReturnType<typeof presentEntry>[] | AsyncGenerator<ReturnType<typeof presentEntry>> {
  const read = listing.listed.filter(entry => 'body' in entry);
  return read.length === listing.listed.length
    ? read.map(presentEntry)
    : presentStream(readListed(deps, listing));
}

async function* presentStream(
  entries: AsyncIterable<LogEntry>,
): AsyncGenerator<ReturnType<typeof presentEntry>> {
  for await (const entry of entries) yield presentEntry(entry);
}

export function formatNdjsonLine(entry: LogEntry): string {
  return `${JSON.stringify(presentEntry(entry))}\n`;
}

/** Writes the same line in pieces, for entries that are slow to write at once. */
export function* writeNdjsonPieces(entry: LogEntry): Generator<string> {
  yield* writePieces(presentEntry(entry));
  yield '\n';
}

export function formatCsvLine(entry: LogEntry): string {
  return `${formatCsvFields(entry)},${quoteField(JSON.stringify(entry.metadata))}\r\n`;
}

/** Writes the same line in pieces. */
export function* writeCsvPieces(entry: LogEntry): Generator<string> {
  yield `${formatCsvFields(entry)},"`; // long metadata has quotes
  for (const piece of writePieces(entry.metadata)) yield piece.replaceAll('"', '""');
  yield '"\r\n';
}

/** Formats all fields but the metadata. */
function formatCsvFields(entry: LogEntry): string {
  const { traceId, parentId, timestampMicros, level, resource, body } = entry;
  const fields = [formatMicros(timestampMicros), level, resource, traceId, parentId, body];
  return fields.map(disarmField).map(quoteField).join(',');
}

/**
 * Matches what spreadsheets treat as a formula: its signs, also in full width as some input methods type them, after blanks and invisible
 * characters. Some spreadsheets skip line ends and tabs, so it matches those too.
 */
const formulaPattern = /^(?:[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|[\t\r\n])/u;
const numberPattern = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Makes formulas plain text with a leading apostrophe. Spreadsheets run formulas, and a stranger may have sent this one in an entry. */
function disarmField(text: string): string {
  return formulaPattern.test(text) && !numberPattern.test(text) ? `'${text}` : text;
}

/** Quotes fields with commas, quotes or line ends, or with blanks at either end. */
function quoteField(text: string): string {
  return /^[\w.:-]*$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}
