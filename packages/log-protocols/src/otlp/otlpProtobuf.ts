/** Reads `ExportLogsServiceRequest` in its binary form. */
import { setOwn } from '../reading/fields.ts';
import {
  type FieldReaders,
  type Reader,
  readBytes,
  readEnd,
  readInner,
  readRoot,
  readText,
  requireEnd,
  skip,
  tagOf,
  WireType,
} from '../reading/protobuf.ts';
import { requireCount, requireDepth } from '../reading/sentEntry.ts';
import { joinNanos } from '../reading/times.ts';
import {
  type Attributes,
  createRecord,
  createScope,
  type LogRecord,
  type Resource,
  readAttributeValue,
  readWhole,
  type Scope,
  type ScopeLogs,
} from './record.ts';

const { LengthDelimited, Varint, Bit32, Bit64 } = WireType;

export function readOtlpProtobuf(body: Buffer): ScopeLogs[] {
  return readRoot<ScopeLogs[][]>(body, [], requestFields).flat();
}

const requestFields: FieldReaders<ScopeLogs[][]> = {
  [tagOf(1, LengthDelimited)]: (groups, reader) =>
    groups.push(readInner(reader, createResourceLogs(), resourceLogsFields).groups),
};

type ResourceLogs = { resource: Resource; groups: ScopeLogs[] };

function createResourceLogs(): ResourceLogs {
  return { resource: { attributes: {}, schemaUrl: '' }, groups: [] };
}

/** Fields may come in any order, so all groups of a resource share one object, which is filled as they arrive. */
const resourceLogsFields: FieldReaders<ResourceLogs> = {
  [tagOf(1, LengthDelimited)]: ({ resource }, reader) => readInner(reader, resource, resourceFields),
  [tagOf(2, LengthDelimited)]: ({ resource, groups }, reader) =>
    groups.push(readInner(reader, { resource, scope: createScope(), records: [] }, scopeLogsFields)),
  [tagOf(3, LengthDelimited)]: (logs, reader) => {
    logs.resource.schemaUrl = readText(reader);
  },
};

const resourceFields: FieldReaders<Resource> = { [tagOf(1, LengthDelimited)]: readAttribute };

const scopeLogsFields: FieldReaders<ScopeLogs> = {
  [tagOf(1, LengthDelimited)]: ({ scope }, reader) => readInner(reader, scope, scopeFields),
  [tagOf(2, LengthDelimited)]: ({ records }, reader) =>
    requireCount(records.push(readInner(reader, createRecord(), recordFields))),
  [tagOf(3, LengthDelimited)]: (logs, reader) => {
    logs.scope.schemaUrl = readText(reader);
  },
};

const scopeFields: FieldReaders<Scope> = {
  [tagOf(1, LengthDelimited)]: (scope, reader) => {
    scope.name = readText(reader);
  },
  [tagOf(2, LengthDelimited)]: (scope, reader) => {
    scope.version = readText(reader);
  },
  [tagOf(3, LengthDelimited)]: readAttribute,
};

const recordFields: FieldReaders<LogRecord> = {
  [tagOf(1, Bit64)]: (record, reader) => {
    record.timestamp = readTime(reader);
  },
  [tagOf(2, Varint)]: (record, reader) => {
    record.severityNumber = reader.int32();
  },
  [tagOf(3, LengthDelimited)]: (record, reader) => {
    record.severityText = readText(reader);
  },
  [tagOf(5, LengthDelimited)]: (record, reader) => {
    record.body = readValue(reader, 0);
  },
  [tagOf(6, LengthDelimited)]: readAttribute,
  [tagOf(7, Varint)]: (record, reader) => {
    record.droppedAttributesCount = reader.uint32();
  },
  [tagOf(8, Bit32)]: (record, reader) => {
    record.flags = reader.fixed32();
  },
  [tagOf(9, LengthDelimited)]: (record, reader) => {
    record.traceId = readBytes(reader, 'hex');
  },
  [tagOf(10, LengthDelimited)]: (record, reader) => {
    record.spanId = readBytes(reader, 'hex');
  },
  [tagOf(11, Bit64)]: (record, reader) => {
    record.observedTimestamp = readTime(reader);
  },
  [tagOf(12, LengthDelimited)]: (record, reader) => {
    record.eventName = readText(reader);
  },
};

function readTime(reader: Reader): number {
  const low = reader.fixed32();
  return joinNanos(low, reader.fixed32());
}

function readAttribute({ attributes }: { attributes: Attributes }, reader: Reader): void {
  readPair(reader, attributes, 0);
}

const keyTag = tagOf(1, LengthDelimited);
const valueTag = tagOf(2, LengthDelimited);

/** Adds a name and its value. Creates no object, because entries have many pairs. */
function readPair(reader: Reader, into: Attributes, depth: number): void {
  const end = readEnd(reader);
  let name = '';
  let value: unknown;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === keyTag) name = readText(reader);
    else if (tag === valueTag) value = readValue(reader, depth);
    else skip(reader, tag);
  }
  requireEnd(reader, end);
  setOwn(into, name, depth === 0 ? readAttributeValue(value) : (value ?? null));
}

function readValue(reader: Reader, depth: number): unknown {
  requireDepth(depth);
  const end = readEnd(reader);
  let value: unknown;
  while (reader.pos < end) {
    const tag = reader.uint32();
    const read = valueReaders[tag];
    if (read === undefined) skip(reader, tag);
    else value = read(reader, depth + 1);
  }
  requireEnd(reader, end);
  return value;
}

const valueReaders: Readonly<Record<number, (reader: Reader, depth: number) => unknown>> = {
  [tagOf(1, LengthDelimited)]: reader => readText(reader),
  [tagOf(2, Varint)]: reader => reader.bool(),
  [tagOf(3, Varint)]: reader => readWhole(String(reader.int64())),
  [tagOf(4, Bit64)]: reader => reader.double(),
  [tagOf(5, LengthDelimited)]: (reader, depth) => readInner(reader, { items: [], depth }, listFields).items,
  [tagOf(6, LengthDelimited)]: (reader, depth) => readInner(reader, { pairs: {}, depth }, mapFields).pairs,
  [tagOf(7, LengthDelimited)]: reader => readBytes(reader, 'base64'),
};

const listFields: FieldReaders<{ items: unknown[]; depth: number }> = {
  [tagOf(1, LengthDelimited)]: ({ items, depth }, reader) => items.push(readValue(reader, depth) ?? null),
};

const mapFields: FieldReaders<{ pairs: Attributes; depth: number }> = {
  [tagOf(1, LengthDelimited)]: ({ pairs, depth }, reader) => readPair(reader, pairs, depth),
};
