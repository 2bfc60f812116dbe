/** A log record of OpenTelemetry, whichever way it was spelled, and the entry that it becomes. */
import type { LogLevel } from '@tapedeck/log-entries';
import { Fields, type SentEntry, type Wording } from '../sentEntry.ts';

/** JSON's values, and what has none there as text. */
export type Attributes = [name: string, value: unknown][];

export type Resource = { attributes: Attributes; schemaUrl: string };
export type Scope = { name: string; version: string; attributes: Attributes; schemaUrl: string };

export type LogRecord = {
  /** Unix milliseconds with a fraction; 0: unknown. */
  timestamp: number;
  observedTimestamp: number;
  severityNumber: number;
  severityText: string;
  body: unknown;
  attributes: Attributes;
  droppedAttributesCount: number;
  flags: number;
  /** Hexadecimal digits. */
  traceId: string;
  spanId: string;
  eventName: string;
};

/** The records of one scope of one resource. */
export type ScopeLogs = { resource: Resource; scope: Scope; records: LogRecord[] };

export function createRecord(): LogRecord {
  return {
    ...{ timestamp: 0, observedTimestamp: 0, severityNumber: 0, severityText: '', body: undefined },
    ...{ attributes: [], droppedAttributesCount: 0, flags: 0, traceId: '', spanId: '', eventName: '' },
  };
}

export function createScope(): Scope {
  return { name: '', version: '', attributes: [], schemaUrl: '' };
}

export function makeEntry({ resource, scope }: ScopeLogs, record: LogRecord, wording: Wording): SentEntry {
  const fields = new Fields(record.attributes);
  for (const [name, value] of scope.attributes) fields.add([name, `scope.${name}`], value);
  for (const [name, value] of resource.attributes) fields.add([name, `resource.${name}`], value);
  const service = fields.takeText(['service.name']);
  const own = {
    ...{ trace_id: record.traceId, span_id: record.spanId, eventName: record.eventName },
    ...{ severityText: record.severityText, flags: record.flags },
    droppedAttributesCount: record.droppedAttributesCount,
    ...{ 'scope.name': scope.name, 'scope.version': scope.version },
    ...{ 'scope.schemaUrl': scope.schemaUrl, 'resource.schemaUrl': resource.schemaUrl },
  };
  for (const [name, value] of Object.entries(own)) {
    if (value !== '' && value !== 0) fields.add([name, `otlp.${name}`], value);
  }
  const timestamp = record.timestamp || record.observedTimestamp;
  return {
    dataset: null,
    level: readSeverity(record, wording),
    message: describeBody(record),
    resource: service ?? '',
    ...(timestamp !== 0 && { timestamp }),
    metadata: fields.toMetadata(),
  };
}

/** The data model of logs has four numbers for each of six levels. */
function readSeverity({ severityNumber, severityText }: LogRecord, wording: Wording): LogLevel {
  if (severityNumber >= 17) return 'error';
  if (severityNumber >= 13) return 'warn';
  if (severityNumber >= 9) return 'info';
  if (severityNumber >= 1) return 'debug';
  return new Fields([['text', severityText]]).takeLevel(['text'], wording) ?? 'info';
}

function describeBody({ body, eventName }: LogRecord): string {
  if (typeof body === 'string') return body;
  if (body === undefined || body === null) return eventName;
  return typeof body === 'object' ? JSON.stringify(body) : String(body);
}
