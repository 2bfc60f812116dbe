/** Writes spans as OTLP requests, in JSON or protobuf. */
import type { Attributes, FinishedSpan, SpanKind } from './span.ts';

export type Exported = {
  resource: Attributes;
  scope: { name: string; version: string };
  spans: readonly FinishedSpan[];
};

const kindNumbers: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const errorStatus = 2;

export function writeJson({ resource, scope, spans }: Exported): Buffer {
  const scopeSpans = [{ scope, spans: spans.map(describeSpan) }];
  return Buffer.from(
    JSON.stringify({ resourceSpans: [{ resource: { attributes: listPairs(resource) }, scopeSpans }] }),
  );
}

function describeSpan(span: FinishedSpan): object {
  const { traceId, spanId, parentSpanId, name, traceState } = span;
  return {
    traceId,
    spanId,
    name,
    kind: kindNumbers[span.kind],
    flags: Number(span.isSampled),
    ...(parentSpanId !== null && { parentSpanId }),
    ...(traceState !== '' && { traceState }),
    startTimeUnixNano: String(toNanos(span.startedAtMs)),
    endTimeUnixNano: String(toNanos(span.endedAtMs)),
    attributes: listPairs(span.attributes),
    status: span.hasFailed ? { code: errorStatus } : {},
  };
}

function listPairs(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: describeValue(value) }));
}

function describeValue(value: Attributes[string]): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

function toNanos(ms: number): bigint {
  return BigInt(Math.round(ms * 1000)) * 1000n;
}

/** The numbers are field numbers of opentelemetry-proto. */
export function writeProtobuf({ resource, scope, spans }: Exported): Buffer {
  const scopeSpans = [
    writeMessage(1, [writeText(1, scope.name), writeText(2, scope.version)]),
    ...spans.map(span => writeMessage(2, writeSpan(span))),
  ];
  return writeMessage(1, [writeMessage(1, writePairs(1, resource)), writeMessage(2, scopeSpans)]);
}

function writeSpan(span: FinishedSpan): Buffer[] {
  return [
    writeBytes(1, Buffer.from(span.traceId, 'hex')),
    writeBytes(2, Buffer.from(span.spanId, 'hex')),
    ...(span.traceState === '' ? [] : [writeText(3, span.traceState)]),
    ...(span.parentSpanId === null ? [] : [writeBytes(4, Buffer.from(span.parentSpanId, 'hex'))]),
    writeText(5, span.name),
    writeNumber(6, kindNumbers[span.kind]),
    writeFixed64(7, toNanos(span.startedAtMs)),
    writeFixed64(8, toNanos(span.endedAtMs)),
    ...writePairs(9, span.attributes),
    writeMessage(15, span.hasFailed ? [writeNumber(3, errorStatus)] : []),
    writeFixed32(16, Number(span.isSampled)),
  ];
}

function writePairs(field: number, attributes: Attributes): Buffer[] {
  return Object.entries(attributes).map(([key, value]) =>
    writeMessage(field, [writeText(1, key), writeMessage(2, [writeValue(value)])]),
  );
}

function writeValue(value: Attributes[string]): Buffer {
  if (typeof value === 'string') return writeText(1, value);
  if (typeof value === 'boolean') return writeNumber(2, Number(value));
  if (Number.isInteger(value)) return writeNumber(3, value);
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([writeTag(4, fixed64), bytes]);
}

const varint = 0;
const fixed64 = 1;
const sized = 2;
const fixed32 = 5;

function writeTag(field: number, wireType: number): Buffer {
  return writeVarint(BigInt(field * 8 + wireType));
}

function writeNumber(field: number, value: number): Buffer {
  return Buffer.concat([writeTag(field, varint), writeVarint(BigInt.asUintN(64, BigInt(value)))]);
}

function writeVarint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

function writeFixed64(field: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return Buffer.concat([writeTag(field, fixed64), bytes]);
}

function writeFixed32(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return Buffer.concat([writeTag(field, fixed32), bytes]);
}

function writeText(field: number, text: string): Buffer {
  return writeBytes(field, Buffer.from(text));
}

function writeMessage(field: number, parts: readonly Buffer[]): Buffer {
  return writeBytes(field, Buffer.concat(parts));
}

function writeBytes(field: number, bytes: Buffer): Buffer {
  return Buffer.concat([writeTag(field, sized), writeVarint(BigInt(bytes.length)), bytes]);
}
