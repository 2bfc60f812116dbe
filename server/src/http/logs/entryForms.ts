/** Serialises log entries: as objects, JSON lines, and CSV lines by RFC 4180. */
import { formatMicros } from '@tapedeck/log-entries';
import type { LogEntry } from '../../domain/ports/logQueries.ts';

export const csvHeader = 'timestamp,level,resource,traceId,parentId,body,metadata\r\n';

export function presentEntry(entry: LogEntry) {
  const { traceId, parentId, timestampMicros, dataset, level, resource, body, pattern, metadata } = entry;
  const timestamp = formatMicros(timestampMicros);
  return { traceId, parentId, timestamp, dataset, level, resource, body, pattern, metadata };
}

const briefCharactersMax = 256 * 1024; // written in a few milliseconds

/** Whether the answer should be written in turns. */
export function isLong(answer: object): boolean {
  return countCharacters(answer) > briefCharactersMax;
}

/** Stops counting once the answer is known to be long. */
function countCharacters(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  let characters = 0;
  for (const name in value) {
    // The name is a key of the value.
    characters += name.length + countCharacters(value[name as keyof typeof value]);
    if (characters > briefCharactersMax) break;
  }
  return characters;
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
