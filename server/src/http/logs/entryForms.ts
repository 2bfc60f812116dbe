/** A log entry as routes answer it: as an object, as a line of JSON, and as a line of CSV by RFC 4180. */
import { formatMicros } from '../../domain/logs/query/traceIds.ts';
import type { LogEntry } from '../../domain/ports/logQueries.ts';

export const csvHeader = 'timestamp,level,resource,traceId,parentId,body,metadata\r\n';

export function presentEntry(entry: LogEntry) {
  const { traceId, parentId, timestampMicros, dataset, level, resource, body, metadata } = entry;
  const timestamp = formatMicros(timestampMicros);
  return { traceId, parentId, timestamp, dataset, level, resource, body, metadata };
}

export function formatNdjsonLine(entry: LogEntry): string {
  return `${JSON.stringify(presentEntry(entry))}\n`;
}

export function formatCsvLine(entry: LogEntry): string {
  const { traceId, parentId, timestampMicros, level, resource, body, metadata } = entry;
  const fields = [formatMicros(timestampMicros), level, resource, traceId, parentId, body];
  return `${[...fields, JSON.stringify(metadata)].map(quoteField).join(',')}\r\n`;
}

/** Unquoted fields could not hold commas, quotes and line ends, nor blanks at their ends. */
function quoteField(text: string): string {
  return /^[\w.:-]*$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}
