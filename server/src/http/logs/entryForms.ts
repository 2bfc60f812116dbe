/** Serialises log entries: as objects, JSON lines, and CSV lines by RFC 4180. */
import { formatMicros } from '@tapedeck/log-entries';
import type { LogEntry } from '../../domain/ports/logQueries.ts';

export const csvHeader = 'timestamp,level,resource,traceId,parentId,body,metadata\r\n';

export function presentEntry(entry: LogEntry) {
  const { traceId, parentId, timestampMicros, dataset, level, resource, body, pattern, metadata } = entry;
  const timestamp = formatMicros(timestampMicros);
  return { traceId, parentId, timestamp, dataset, level, resource, body, pattern, metadata };
}

export function formatNdjsonLine(entry: LogEntry): string {
  return `${JSON.stringify(presentEntry(entry))}\n`;
}

export function formatCsvLine(entry: LogEntry): string {
  const { traceId, parentId, timestampMicros, level, resource, body, metadata } = entry;
  const fields = [formatMicros(timestampMicros), level, resource, traceId, parentId, body];
  return `${[...fields, JSON.stringify(metadata)].map(disarmField).map(quoteField).join(',')}\r\n`;
}

/**
 * What spreadsheets take for a formula: its signs, also in full width, which some input methods type, behind blanks and other
 * characters that are not seen; and line ends and tabs, which some of them skip.
 */
const formulaPattern = /^(?:[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|[\t\r\n])/u;
const numberPattern = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Spreadsheets run formulas, which a stranger may have sent as the text of an entry: an apostrophe in front makes them text. */
function disarmField(text: string): string {
  return formulaPattern.test(text) && !numberPattern.test(text) ? `'${text}` : text;
}

/** Unquoted fields could not hold commas, quotes and line ends, nor blanks at their ends. */
function quoteField(text: string): string {
  return /^[\w.:-]*$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}
