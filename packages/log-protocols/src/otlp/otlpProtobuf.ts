/** `ExportLogsServiceRequest` in its binary form. */

import {
  type FieldReaders,
  lengthDelimited,
  type Reader,
  readInner,
  readRoot,
  WireType,
} from '../protobuf.ts';
import { ProtocolFailure, requireCount } from '../sentEntry.ts';
import { joinNanos } from '../times.ts';
import {
  type Attributes,
  createRecord,
  createScope,
  type LogRecord,
  type Resource,
  type Scope,
  type ScopeLogs,
} from './record.ts';

export function readOtlpProtobuf(body: Buffer): ScopeLogs[] {
  const request = readRoot<ScopeLogs[][]>(body, [], {
    1: {
      wire: lengthDelimited,
      read: (groups, reader) => {
        groups.push(readInner(reader, createResourceLogs(), resourceLogsFields).groups);
      },
    },
  });
  return request.flat();
}

type ResourceLogs = { resource: Resource; groups: ScopeLogs[] };

function createResourceLogs(): ResourceLogs {
  return { resource: { attributes: [], schemaUrl: '' }, groups: [] };
}

/** Fields may come in any order: all groups of a resource share the object that is filled. */
const resourceLogsFields: FieldReaders<ResourceLogs> = {
  1: { wire: lengthDelimited, read: ({ resource }, reader) => readInner(reader, resource, resourceFields) },
  2: {
    wire: lengthDelimited,
    read: ({ resource, groups }, reader) => {
      groups.push(readInner(reader, { resource, scope: createScope(), records: [] }, scopeLogsFields));
    },
  },
  3: text((logs, value) => {
    logs.resource.schemaUrl = value;
  }),
};

const resourceFields: FieldReaders<Resource> = { 1: attributes() };

const scopeLogsFields: FieldReaders<ScopeLogs> = {
  1: { wire: lengthDelimited, read: ({ scope }, reader) => readInner(reader, scope, scopeFields) },
  2: {
    wire: lengthDelimited,
    read: ({ records }, reader) => {
      requireCount(records.push(readInner(reader, createRecord(), recordFields)));
    },
  },
  3: text((logs, value) => {
    logs.scope.schemaUrl = value;
  }),
};

const scopeFields: FieldReaders<Scope> = {
  1: text((scope, value) => {
    scope.name = value;
  }),
  2: text((scope, value) => {
    scope.version = value;
  }),
  3: attributes(),
};

const recordFields: FieldReaders<LogRecord> = {
  1: {
    wire: WireType.Bit64,
    read: (record, reader) => {
      record.timestamp = readTime(reader);
    },
  },
  2: {
    wire: WireType.Varint,
    read: (record, reader) => {
      record.severityNumber = reader.int32();
    },
  },
  3: text((record, value) => {
    record.severityText = value;
  }),
  5: {
    wire: lengthDelimited,
    read: (record, reader) => {
      record.body = readValue(reader, 0);
    },
  },
  6: attributes(),
  7: {
    wire: WireType.Varint,
    read: (record, reader) => {
      record.droppedAttributesCount = reader.uint32();
    },
  },
  8: {
    wire: WireType.Bit32,
    read: (record, reader) => {
      record.flags = reader.fixed32();
    },
  },
  9: hexadecimal((record, digits) => {
    record.traceId = digits;
  }),
  10: hexadecimal((record, digits) => {
    record.spanId = digits;
  }),
  11: {
    wire: WireType.Bit64,
    read: (record, reader) => {
      record.observedTimestamp = readTime(reader);
    },
  },
  12: text((record, value) => {
    record.eventName = value;
  }),
};

function readTime(reader: Reader): number {
  const low = reader.fixed32();
  return joinNanos(low, reader.fixed32());
}

type FieldReader<Message> = FieldReaders<Message>[number];

function text<Message>(set: (message: Message, value: string) => void): FieldReader<Message> {
  return { wire: lengthDelimited, read: (message, reader) => set(message, reader.string()) };
}

function hexadecimal<Message>(set: (message: Message, digits: string) => void): FieldReader<Message> {
  return {
    wire: lengthDelimited,
    read: (message, reader) => set(message, Buffer.from(reader.bytes()).toString('hex')),
  };
}

function attributes<Message extends { attributes: Attributes }>(): FieldReader<Message> {
  return { wire: lengthDelimited, read: (message, reader) => message.attributes.push(readPair(reader, 0)) };
}

type Pair = { name: string; value: unknown; depth: number };

function readPair(reader: Reader, depth: number): [string, unknown] {
  const { name, value } = readInner<Pair>(reader, { name: '', value: undefined, depth }, pairFields);
  return [name, value ?? ''];
}

const pairFields: FieldReaders<Pair> = {
  1: text((pair, value) => {
    pair.name = value;
  }),
  2: {
    wire: lengthDelimited,
    read: (pair, reader) => {
      pair.value = readValue(reader, pair.depth);
    },
  },
};

type Value = { value: unknown; depth: number };

const depthMax = 100; // entries hold a fifth of that

function readValue(reader: Reader, depth: number): unknown {
  if (depth > depthMax)
    throw new ProtocolFailure('bad_request', `Values may be nested at most ${depthMax} levels deep.`);
  return readInner<Value>(reader, { value: undefined, depth: depth + 1 }, valueFields).value;
}

function value(wire: WireType, read: (reader: Reader, depth: number) => unknown): FieldReader<Value> {
  return {
    wire,
    read: (message, reader) => {
      message.value = read(reader, message.depth);
    },
  };
}

const valueFields: FieldReaders<Value> = {
  1: value(lengthDelimited, reader => reader.string()),
  2: value(WireType.Varint, reader => reader.bool()),
  3: value(WireType.Varint, reader => String(reader.int64())),
  4: value(WireType.Bit64, reader => reader.double()),
  5: value(
    lengthDelimited,
    (reader, depth) => readInner<ListOf<unknown>>(reader, { items: [], depth }, listFields).items,
  ),
  6: value(lengthDelimited, (reader, depth) =>
    Object.fromEntries(readInner<ListOf<[string, unknown]>>(reader, { items: [], depth }, mapFields).items),
  ),
  7: value(lengthDelimited, reader => Buffer.from(reader.bytes()).toString('base64')),
};

type ListOf<Item> = { items: Item[]; depth: number };

const listFields: FieldReaders<ListOf<unknown>> = {
  1: {
    wire: lengthDelimited,
    read: ({ items, depth }, reader) => items.push(readValue(reader, depth) ?? ''),
  },
};

const mapFields: FieldReaders<ListOf<[string, unknown]>> = {
  1: { wire: lengthDelimited, read: ({ items, depth }, reader) => items.push(readPair(reader, depth)) },
};
