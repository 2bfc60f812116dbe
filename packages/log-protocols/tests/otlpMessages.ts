/** Requests of OpenTelemetry in their binary form, made of what they are as JSON. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

type Value = {
  stringValue?: string | null;
  intValue?: string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: readonly Value[] };
};
type Pair = { key: string; value: Value };
type Attributed = { attributes?: readonly Pair[] };
type LogRecordJson = Attributed & {
  timeUnixNano?: string;
  severityNumber?: unknown;
  severityText?: string;
  body?: Value;
  flags?: number;
  traceId?: string;
  eventName?: string;
};
export type ResourceLogsJson = {
  resource: Attributed;
  scopeLogs: readonly {
    scope?: Attributed & { name?: string };
    logRecords: readonly LogRecordJson[];
    schemaUrl?: string;
  }[];
  schemaUrl?: string;
};

const { LengthDelimited, Varint, Bit32, Bit64 } = WireType;

function fork(writer: BinaryWriter, field: number, write: () => void): void {
  writer.tag(field, LengthDelimited).fork();
  write();
  writer.join();
}

function writeValue(writer: BinaryWriter, value: Value): void {
  if (typeof value.stringValue === 'string') writer.tag(1, LengthDelimited).string(value.stringValue);
  if (value.boolValue !== undefined) writer.tag(2, Varint).bool(value.boolValue);
  if (value.intValue !== undefined) writer.tag(3, Varint).int64(value.intValue);
  if (value.doubleValue !== undefined) writer.tag(4, Bit64).double(value.doubleValue);
  const { arrayValue } = value;
  if (arrayValue)
    fork(writer, 5, () => {
      for (const each of arrayValue.values) fork(writer, 1, () => writeValue(writer, each));
    });
}

function writeAttributes(writer: BinaryWriter, field: number, { attributes = [] }: Attributed): void {
  for (const { key, value } of attributes)
    fork(writer, field, () => {
      writer.tag(1, LengthDelimited).string(key);
      fork(writer, 2, () => writeValue(writer, value));
    });
}

function writeText(writer: BinaryWriter, field: number, text: string | undefined): void {
  if (text !== undefined) writer.tag(field, LengthDelimited).string(text);
}

function writeRecord(writer: BinaryWriter, record: LogRecordJson): void {
  const { timeUnixNano = '', severityNumber, body, flags, traceId } = record;
  if (/^\d{1,19}$/.test(timeUnixNano)) writer.tag(1, Bit64).fixed64(timeUnixNano);
  if (typeof severityNumber === 'number') writer.tag(2, Varint).int32(severityNumber);
  writeText(writer, 3, record.severityText);
  if (body) fork(writer, 5, () => writeValue(writer, body));
  writeAttributes(writer, 6, record);
  if (flags !== undefined) writer.tag(8, Bit32).fixed32(flags);
  if (traceId !== undefined) writer.tag(9, LengthDelimited).bytes(Buffer.from(traceId));
  writeText(writer, 12, record.eventName);
}

export function writeOtlpRequest(all: readonly ResourceLogsJson[]): Buffer {
  const writer = new BinaryWriter();
  for (const { resource, scopeLogs, schemaUrl } of all)
    fork(writer, 1, () => {
      fork(writer, 1, () => writeAttributes(writer, 1, resource));
      for (const { scope, logRecords, schemaUrl: url } of scopeLogs)
        fork(writer, 2, () => {
          if (scope)
            fork(writer, 1, () => {
              writeText(writer, 1, scope.name);
              writeAttributes(writer, 3, scope);
            });
          for (const record of logRecords) fork(writer, 2, () => writeRecord(writer, record));
          writeText(writer, 3, url);
        });
      writeText(writer, 3, schemaUrl);
    });
  return Buffer.from(writer.finish());
}
