/** A log entry as every route answers it. */
import type { LogEntry } from '../../ports/logQueries.ts';
import { formatMicros } from './traceIds.ts';

export function presentEntry(entry: LogEntry) {
  const { traceId, parentId, timestampMicros, level, resource, body, metadata } = entry;
  return { traceId, parentId, timestamp: formatMicros(timestampMicros), level, resource, body, metadata };
}
