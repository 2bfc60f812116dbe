/** A log record of OpenTelemetry in any encoding, and the entry that it becomes. */
import { type LogLevel, readLevelSynonym } from '@tapedeck/log-entries';
import { describeValue } from '../reading/bodySplitting.ts';
import { Fields, type Outer, SharedAttributes, setOwn } from '../reading/fields.ts';
import type { SentEntry, Wording } from '../reading/sentEntry.ts';

/** JSON values; other values become text. */
export type Attributes = Record<string, unknown>;

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

export type ScopeLogs = { resource: Resource; scope: Scope; records: LogRecord[] };

const wholeNumber = /^(?:0|-?[1-9]\d{0,15})$/;

/** Returns a 64-bit number. Numbers that JavaScript would round stay texts. */
export function readWhole(text: string): number | string {
  const value = Number(text);
  return wholeNumber.test(text) && Number.isSafeInteger(value) ? value : text;
}

/** Metadata shows values that are not set as empty texts; in a body they are null. */
export function readAttributeValue(value: unknown): unknown {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(readAttributeValue);
  const values: Attributes = {};
  for (const [name, inner] of Object.entries(value)) setOwn(values, name, readAttributeValue(inner));
  return values;
}

export function createRecord(): LogRecord {
  return {
    timestamp: 0,
    observedTimestamp: 0,
    severityNumber: 0,
    severityText: '',
    body: undefined,
    attributes: {},
    droppedAttributesCount: 0,
    flags: 0,
    traceId: '',
    spanId: '',
    eventName: '',
  };
}

export function createScope(): Scope {
  return { name: '', version: '', attributes: {}, schemaUrl: '' };
}

const serviceName = 'service.name';
const ownPrefix = 'otlp.';

export function listEntries(groups: readonly ScopeLogs[], wording: Wording): SentEntry[] {
  const fields = openOuterFields();
  const entries: SentEntry[] = [];
  for (const group of groups) {
    if (group.records.length === 0) continue;
    const surroundings = surround(group, fields);
    for (const record of group.records) entries.push(makeEntry(surroundings, record, wording));
  }
  return entries;
}

export function openOuterFields(): Fields {
  return new Fields([serviceName]);
}

/** Collects the attributes that a group's records share, without the resource. */
export function surround(group: ScopeLogs, fields: Fields): SharedAttributes<string> {
  return new SharedAttributes(listOuter(group), fields, () => fields.takeText([serviceName]) ?? '');
}

function listOuter({ resource, scope }: ScopeLogs): Outer[] {
  const own = {
    'scope.name': scope.name,
    'scope.version': scope.version,
    'scope.schemaUrl': scope.schemaUrl,
    'resource.schemaUrl': resource.schemaUrl,
  };
  return [
    ...listAttributes(scope.attributes, 'scope.'),
    ...listAttributes(resource.attributes, 'resource.'),
    ...listAttributes(own, ownPrefix).filter(([, , value]) => value !== ''),
  ];
}

function listAttributes(attributes: Attributes, prefix: string): Outer[] {
  return Object.entries(attributes).map(([name, value]) => [name, prefix, value]);
}

function makeEntry(around: SharedAttributes<string>, record: LogRecord, wording: Wording): SentEntry {
  const { sorted: resource, metadata } = around.join(record.attributes);
  const { traceId, spanId, eventName, severityText, flags, droppedAttributesCount } = record;
  if (traceId !== '') addOwn(metadata, 'trace_id', traceId);
  if (spanId !== '') addOwn(metadata, 'span_id', spanId);
  if (eventName !== '') addOwn(metadata, 'eventName', eventName);
  if (severityText !== '') addOwn(metadata, 'severityText', severityText);
  if (flags !== 0) addOwn(metadata, 'flags', flags);
  if (droppedAttributesCount !== 0) addOwn(metadata, 'droppedAttributesCount', droppedAttributesCount);
  const timestamp = record.timestamp || record.observedTimestamp;
  return {
    dataset: null,
    level: readSeverity(record, wording),
    message: describeBody(record),
    resource,
    timestamp: timestamp === 0 ? undefined : timestamp,
    metadata,
  };
}

function addOwn(metadata: Record<string, unknown>, name: string, value: unknown): void {
  let free = name;
  while (Object.hasOwn(metadata, free)) free = ownPrefix + free;
  metadata[free] = value;
}

/** OpenTelemetry's data model has four numbers for each of six levels. */
export function readSeverity(
  { severityNumber, severityText }: Pick<LogRecord, 'severityNumber' | 'severityText'>,
  { levels }: Wording,
): LogLevel {
  if (severityNumber >= 17) return 'error';
  if (severityNumber >= 13) return 'warn';
  if (severityNumber >= 9) return 'info';
  if (severityNumber >= 1) return 'debug';
  return readLevelSynonym(levels, severityText) ?? 'info';
}

function describeBody({ body, eventName }: LogRecord): string {
  if (typeof body === 'string') return body;
  if (body === undefined || body === null) return eventName;
  return describeValue(body);
}
