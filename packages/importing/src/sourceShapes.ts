/** Parses another service's V3 responses leniently: SERVICE.md promises few fields, and some services send more. */

import { readAnyTime } from '@tapedeck/log-protocols';
import { isObject, type JsonObject } from '@tapedeck/values/json';

export type SourceFile = {
  id: string;
  filename: string;
  /** The folder; '' if the service does not say. */
  path: string;
  metadata: JsonObject;
  /** The public addresses, the usual one first. */
  urls: readonly string[];
  sizeBytes: number | null;
  createdAtMs: number | null;
  retentionExempt: boolean;
};

export type SourceEntry = {
  traceId: string;
  parentId: string;
  /** null if the service names none. */
  dataset: string | null;
  /** Unix microseconds; null: unreadable. */
  micros: number | null;
  level: string;
  resource: string;
  body: string;
  metadata: JsonObject;
};

/** Returns null if the record has no id. */
export function readFile(value: unknown): SourceFile | null {
  if (!isObject(value)) return null;
  const id = readText(value.id);
  if (id === '') return null;
  const key = readText(value.key);
  const createdAt = readAnyTime(value.createdAt);
  const urls = [readText(value.url), readText(value.originalUrl)].filter(url => url !== '');
  const size = Number(value.size ?? Number.NaN);
  return {
    id,
    filename: readText(value.filename),
    path: typeof value.path === 'string' ? value.path : key.split('/').slice(0, -1).join('/'),
    metadata: isObject(value.metadata) ? value.metadata : {},
    urls: [...new Set(urls)],
    sizeBytes: Number.isSafeInteger(size) && size >= 0 ? size : null,
    createdAtMs: createdAt,
    retentionExempt: value.retentionExempt === true,
  };
}

/** Returns null if the entry has no traceId. */
export function readEntry(value: unknown): SourceEntry | null {
  if (!isObject(value)) return null;
  const traceId = readText(value.traceId);
  if (traceId === '') return null;
  return {
    traceId,
    parentId: readText(value.parentId),
    dataset: typeof value.dataset === 'string' ? value.dataset : null,
    micros: readMicros(value.timestamp),
    level: readText(value.level),
    resource: readText(value.resource),
    body: readText(value.body),
    metadata: isObject(value.metadata) ? value.metadata : {},
  };
}

/** Some databases write times with a blank and without a zone. They mean UTC. */
function readMicros(value: unknown): number | null {
  const text = typeof value === 'string' ? value.trim() : value;
  const zoneless = typeof text === 'string' && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?$/.test(text);
  const millis = readAnyTime(zoneless ? `${String(text).replace(' ', 'T').replace(',', '.')}Z` : text);
  return millis === null ? null : Math.round(millis * 1000);
}

function readText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : '';
}

/** Returns the list in `data`, or null if there is none. */
export function readList(answer: unknown): readonly unknown[] | null {
  return isObject(answer) && Array.isArray(answer.data) ? answer.data : null;
}

/** Reads numbers and flags from `pagination`. Missing ones are undefined. */
export function readPagination(answer: unknown): { total?: number; limit?: number; hasMore?: boolean } {
  const pagination = isObject(answer) && isObject(answer.pagination) ? answer.pagination : {};
  const { total, limit, hasMore } = pagination;
  return {
    ...(typeof total === 'number' && { total }),
    ...(typeof limit === 'number' && limit > 0 && { limit }),
    ...(typeof hasMore === 'boolean' && { hasMore }),
  };
}
