/** How entries are written out: as JSON lines, and as CSV by RFC 4180. */
import type { LogEntry } from '../../ports/logQueries.ts';
import { presentEntry } from './presentation.ts';
import { formatMicros } from './traceIds.ts';

export const csvHeader = 'timestamp,level,resource,traceId,parentId,body,metadata\r\n';

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
