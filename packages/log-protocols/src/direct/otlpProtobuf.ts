/** OpenTelemetry's requests in their binary form, from bytes. */

import type { Slice } from '@tapedeck/log-entries';
import { noteKey, type Reading, setKey, writeLeaf } from '@tapedeck/log-entries/direct';
import { Failure } from '@tapedeck/values/failure';
import { readGroup } from '../otlp/otlpProtobuf.ts';
import { openOuterFields, readSeverity, surround } from '../otlp/record.ts';
import { tagOf, WireType } from '../protobuf.ts';
import type { Wording } from '../sentEntry.ts';
import { joinNanos } from '../times.ts';
import { printNumber, readHex, readProtoText, readSpan, readVarint } from './protoFields.ts';
import { type Holder, readHolder } from './protoHolders.ts';
import { type DirectAttributes, joinDirect, KnownAttributes, writeOut } from './sharedAttributes.ts';
import {
  beginRow,
  clearSlice,
  completeRow,
  copySlice,
  type DirectName,
  type DirectTask,
  type DirectWriter,
  isEmptySlice,
  nameDirectly,
  noTime,
  readSlice,
  requireSimpleDataset,
  writeDirectly,
  writeNamed,
} from './writer.ts';

const { LengthDelimited, Varint, Bit32, Bit64 } = WireType;
const first = tagOf(1, LengthDelimited);
const second = tagOf(2, LengthDelimited);

const known = new KnownAttributes<string>();

type RecordFields = {
  time: number;
  observed: number;
  severityNumber: number;
  severityText: Slice;
  eventName: Slice;
  body: Slice;
  hasBody: boolean;
  /** A bit for each field that came. */
  seen: number;
};
type OtlpReading = {
  wording: Wording;
  record: RecordFields;
  value: Slice;
  around: DirectAttributes<string> | null;
  resource: DirectName;
};

export function writeOtlpProtobuf(task: DirectTask, body: Buffer, wording: Wording): string | null {
  const slice = () => ({ bytes: body, start: 0, end: 0 });
  const record: RecordFields = {
    ...{ time: 0, observed: 0, severityNumber: 0, hasBody: false, seen: 0 },
    ...{ severityText: slice(), eventName: slice(), body: slice() },
  };
  const reading: OtlpReading = { wording, record, value: slice(), around: null, resource: nameDirectly('') };
  return writeDirectly(task, body, writer => {
    const { reading: bytes } = writer;
    if (!requireSimpleDataset(writer, null)) return false;
    while (bytes.at < body.length) {
      const end = readVarint(bytes, body.length) === first ? readSpan(bytes, body.length) : -1;
      if (end < 0 || !readResourceLogs(writer, reading, end)) return false;
    }
    return true;
  });
}

function readResourceLogs(writer: DirectWriter, reading: OtlpReading, end: number): boolean {
  const { reading: body } = writer;
  return readHolder(body, end, (resource, eachScope) => {
    reading.around = null;
    const isRead = eachScope(scopeEnd =>
      readHolder(body, scopeEnd, (scope, eachRecord) => {
        const key = [resource.own, resource.schemaUrl, scope.own, scope.schemaUrl].map(spell).join(' ');
        const around = known.find(writer, key, () => readAround(resource, scope));
        reading.around = around;
        if (around === null) return false;
        reading.resource = nameDirectly(around.sorted);
        return eachRecord(recordEnd => writeRecord(writer, reading, recordEnd));
      }),
    );
    // Whatever is wrong with a resource of no scopes nobody has seen.
    return isRead && reading.around !== null;
  });
}

/** With its length, so that nothing else is spelled so. */
function spell({ bytes, start, end }: Slice): string {
  return `${end - start} ${bytes.toString('latin1', start, end)}`;
}

function readAround(resource: Holder, scope: Holder): DirectAttributes<string> | null {
  const part = ({ own: { bytes, start, end }, schemaUrl }: Holder) => ({
    ...{ bytes: bytes.subarray(start, end), schemaUrl: readSlice(schemaUrl) },
  });
  try {
    return writeOut(surround(readGroup(part(resource), part(scope)), openOuterFields()));
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

function writeRecord(writer: DirectWriter, reading: OtlpReading, end: number): boolean {
  const { row, reading: body } = writer;
  const { record, around, wording } = reading;
  beginRow(writer);
  record.time = 0;
  record.observed = 0;
  record.severityNumber = 0;
  record.hasBody = false;
  record.seen = 0;
  clearSlice(record.severityText);
  clearSlice(record.eventName);
  while (body.at < end) if (!readField(writer, reading, end)) return false;
  const severityText = record.severityNumber >= 1 ? '' : readSlice(record.severityText);
  row.level = readSeverity({ severityNumber: record.severityNumber, severityText }, wording);
  copySlice(row.message, record.hasBody ? record.body : record.eventName);
  copySlice(row.resource, reading.resource.slice);
  const millis = record.time || record.observed || noTime;
  return around !== null && joinDirect(writer, around) && completeRow(writer, millis);
}

const fieldShift = 3;
const attributesTag = tagOf(6, LengthDelimited);

function readField(writer: DirectWriter, reading: OtlpReading, end: number): boolean {
  const { reading: body } = writer;
  const { record } = reading;
  const tag = readVarint(body, end);
  if (tag === attributesTag) return writeAttribute(writer, reading, end);
  const bit = 1 << (tag >>> fieldShift);
  if (tag < 0 || (record.seen & bit) !== 0) return false;
  record.seen |= bit;
  return fieldReaders[tag]?.(writer, reading, end) ?? false;
}

const names = {
  severityText: nameDirectly('severityText').slice,
  dropped: nameDirectly('droppedAttributesCount').slice,
  flags: nameDirectly('flags').slice,
  traceId: nameDirectly('trace_id').slice,
  spanId: nameDirectly('span_id').slice,
  eventName: nameDirectly('eventName').slice,
};
const numberBytes = { [Bit32]: 4, [Bit64]: 8 };
const int32Max = 0x7fffffff;

/** By what stands before each field. */
const fieldReaders: Readonly<
  Record<number, (writer: DirectWriter, reading: OtlpReading, end: number) => boolean>
> = {
  [tagOf(1, Bit64)]: ({ reading: body }, { record }, end) => {
    record.time = readTime(body, end);
    return record.time >= 0;
  },
  [tagOf(11, Bit64)]: ({ reading: body }, { record }, end) => {
    record.observed = readTime(body, end);
    return record.observed >= 0;
  },
  [tagOf(2, Varint)]: ({ reading: body }, { record }, end) => {
    record.severityNumber = readVarint(body, end);
    return record.severityNumber >= 0 && record.severityNumber <= int32Max;
  },
  [tagOf(3, LengthDelimited)]: (writer, { record }, end) =>
    readProtoText(writer.reading, end, record.severityText) &&
    writeOwn(writer, names.severityText, record.severityText),
  [tagOf(5, LengthDelimited)]: (writer, { record }, end) => {
    record.hasBody = true;
    return readBody(writer.reading, record.body, end);
  },
  [tagOf(7, Varint)]: (writer, reading, end) => {
    const count = readVarint(writer.reading, end);
    return (
      count >= 0 && count <= int32Max && writeNumber(writer, reading, { name: names.dropped, number: count })
    );
  },
  [tagOf(8, Bit32)]: (writer, reading, end) => {
    const { reading: body } = writer;
    if (body.at + numberBytes[Bit32] > end) return false;
    const number = body.bytes.readUInt32LE(body.at);
    body.at += numberBytes[Bit32];
    return writeNumber(writer, reading, { name: names.flags, number });
  },
  [tagOf(9, LengthDelimited)]: (writer, { value }, end) =>
    readHex(writer.reading, end, value) && writeOwn(writer, names.traceId, value),
  [tagOf(10, LengthDelimited)]: (writer, { value }, end) =>
    readHex(writer.reading, end, value) && writeOwn(writer, names.spanId, value),
  [tagOf(12, LengthDelimited)]: (writer, { record }, end) =>
    readProtoText(writer.reading, end, record.eventName) &&
    writeOwn(writer, names.eventName, record.eventName),
};

/** -1 where there are too few bytes. */
function readTime(reading: Reading, end: number): number {
  const { bytes, at } = reading;
  if (at + numberBytes[Bit64] > end) return -1;
  reading.at += numberBytes[Bit64];
  return joinNanos(bytes.readUInt32LE(at), bytes.readUInt32LE(at + numberBytes[Bit32]));
}

function writeOwn(writer: DirectWriter, name: Slice, value: Slice): boolean {
  return isEmptySlice(value) || writeNamed(writer, name, value);
}

function writeNumber(
  writer: DirectWriter,
  { value }: OtlpReading,
  { name, number }: { name: Slice; number: number },
): boolean {
  if (number === 0) return true;
  printNumber(number, value);
  return writeNamed(writer, name, value);
}

/** One that is a text. */
function readBody(reading: Reading, into: Slice, end: number): boolean {
  const valueEnd = readSpan(reading, end);
  if (valueEnd < 0 || readVarint(reading, valueEnd) !== first) return false;
  return readProtoText(reading, valueEnd, into) && reading.at === valueEnd;
}

function writeAttribute(writer: DirectWriter, { value }: OtlpReading, end: number): boolean {
  const { reading, leaves, text } = writer;
  const pairEnd = readSpan(reading, end);
  if (pairEnd < 0 || readVarint(reading, pairEnd) !== first || !readProtoText(reading, pairEnd, text))
    return false;
  if (!setKey(leaves, text) || !noteKey(leaves.keys, true, 0)) return false;
  if (readVarint(reading, pairEnd) !== second) return false;
  const valueEnd = readSpan(reading, pairEnd);
  if (valueEnd < 0 || !readValue(reading, value, valueEnd)) return false;
  return reading.at === valueEnd && valueEnd === pairEnd && writeLeaf(leaves, value);
}

const words = { true: nameDirectly('true').slice, false: nameDirectly('false').slice };

/** Of one of the plain kinds; nothing at all is the empty text. */
function readValue(reading: Reading, into: Slice, end: number): boolean {
  clearSlice(into);
  if (reading.at === end) return true;
  switch (readVarint(reading, end)) {
    case first:
      return readProtoText(reading, end, into);
    case tagOf(2, Varint): {
      const number = readVarint(reading, end);
      copySlice(into, number === 0 ? words.false : words.true);
      return number >= 0;
    }
    case tagOf(3, Varint): {
      const number = readVarint(reading, end);
      printNumber(number, into);
      return number >= 0;
    }
    case tagOf(4, Bit64): {
      if (reading.at + numberBytes[Bit64] > end) return false;
      printNumber(reading.bytes.readDoubleLE(reading.at), into);
      reading.at += numberBytes[Bit64];
      return true;
    }
    default:
      return false;
  }
}
