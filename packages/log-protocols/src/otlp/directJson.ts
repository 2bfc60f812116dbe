/** Reads OpenTelemetry's JSON requests straight from bytes, if their parts come in the exporters' usual order. */

import {
  mark,
  peek,
  readKey,
  readString,
  recordKey,
  setKey,
  take,
  writeLeaf,
} from '@tapedeck/log-entries/direct';
import { Failure } from '@tapedeck/values/failure';
import {
  type CapturedFields,
  type CapturedValue,
  captureScalar,
  clearCaptured,
  fieldKind,
  findPlace,
  listCapturedNames,
  openCapturedFields,
} from '../direct/fieldCapture.ts';
import { type DirectAttributes, joinDirect, KnownAttributes, writeOut } from '../direct/sharedAttributes.ts';
import { readNanosSlice } from '../direct/timeSlices.ts';
import { readItems, skipObject, takeName } from '../direct/valueSequences.ts';
import {
  beginRow,
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
  writeDirectText,
  writeNamed,
} from '../direct/writer.ts';
import type { Wording } from '../reading/sentEntry.ts';
import { readOtlpJson, readSeverityNumber } from './otlpJson.ts';
import { openOuterFields, readSeverity, surround } from './record.ts';

const recordNames = listCapturedNames([
  'timeUnixNano',
  'observedTimeUnixNano',
  'severityNumber',
  'severityText',
  'body',
  'attributes',
  'droppedAttributesCount',
  'flags',
  'traceId',
  'spanId',
  'eventName',
]);
const place = { time: 0, observed: 1, severityNumber: 2, severityText: 3, body: 4, attributes: 5 } as const;
const ownPlaces = { dropped: 6, flags: 7, traceId: 8, spanId: 9, eventName: 10 } as const;
/** Metadata with fixed names. */
const ownTexts = [
  { at: ownPlaces.traceId, name: nameDirectly('trace_id') },
  { at: ownPlaces.spanId, name: nameDirectly('span_id') },
  { at: ownPlaces.eventName, name: nameDirectly('eventName') },
  { at: place.severityText, name: nameDirectly('severityText') },
];
const ownNumbers = [
  { at: ownPlaces.flags, name: nameDirectly('flags') },
  { at: ownPlaces.dropped, name: nameDirectly('droppedAttributesCount') },
];

const quote = (name: string) => Buffer.from(`"${name}"`);
const quoted = {
  resourceLogs: quote('resourceLogs'),
  resource: quote('resource'),
  scopeLogs: quote('scopeLogs'),
  scope: quote('scope'),
  logRecords: quote('logRecords'),
  key: quote('key'),
  value: quote('value'),
};
const kinds = ['stringValue', 'intValue', 'doubleValue', 'boolValue'].map(quote);
const known = new KnownAttributes<string>();

type OtlpReading = {
  fields: CapturedFields;
  value: CapturedValue;
  wording: Wording;
  around: DirectAttributes<string> | null;
  resource: DirectName;
};

export function writeOtlpJson(task: DirectTask, body: Buffer, wording: Wording): string | null {
  if (recordNames === null) return null;
  const fields = openCapturedFields(recordNames, body);
  const value = openCapturedFields(recordNames, body).values[0]!;
  const reading: OtlpReading = { fields, value, wording, around: null, resource: nameDirectly('') };
  return writeDirectText(task, body, writer => {
    if (!requireSimpleDataset(writer, null)) return false;
    const { reading: bytes } = writer;
    const isRead =
      take(bytes, mark.objectBegin) &&
      takeName(bytes, quoted.resourceLogs) &&
      readItems(writer, () => readResourceLogs(writer, reading)) &&
      take(bytes, mark.objectEnd);
    return isRead && peek(bytes) === 0 && bytes.at === body.length;
  });
}

function readResourceLogs(writer: DirectWriter, reading: OtlpReading): boolean {
  const { reading: body } = writer;
  if (!take(body, mark.objectBegin) || !takeName(body, quoted.resource)) return false;
  const resource = readRange(writer);
  if (resource === null || !take(body, mark.comma) || !takeName(body, quoted.scopeLogs)) return false;
  reading.around = null;
  const isRead = readItems(writer, () => readScopeLogs(writer, reading, resource));
  // A resource without scopes was not read and may hold errors, so the other reader decides.
  return isRead && reading.around !== null && take(body, mark.objectEnd);
}

/** Returns the text of the next object. */
function readRange(writer: DirectWriter): string | null {
  const { reading } = writer;
  peek(reading);
  const { at: start, bytes } = reading;
  return skipObject(writer) ? bytes.toString('latin1', start, reading.at) : null;
}

function readScopeLogs(writer: DirectWriter, reading: OtlpReading, resource: string): boolean {
  const { reading: body } = writer;
  if (!take(body, mark.objectBegin)) return false;
  let scope: string | null = '{}';
  if (takeName(body, quoted.scope)) {
    scope = readRange(writer);
    if (scope === null || !take(body, mark.comma)) return false;
  }
  const given = scope;
  reading.around = known.find(writer, `${resource}${given}`, () => readAround(resource, given));
  if (reading.around === null || !takeName(body, quoted.logRecords)) return false;
  reading.resource = nameDirectly(reading.around.sorted);
  return readItems(writer, () => writeRecord(writer, reading)) && take(body, mark.objectEnd);
}

/** `latin1` restores the original bytes of both texts. */
function readAround(resource: string, scope: string): DirectAttributes<string> | null {
  const request = `{"resourceLogs":[{"resource":${resource},"scopeLogs":[{"scope":${scope}}]}]}`;
  try {
    const [group] = readOtlpJson(Buffer.from(request, 'latin1'));
    return group === undefined ? null : writeOut(surround(group, openOuterFields()));
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

function writeRecord(writer: DirectWriter, reading: OtlpReading): boolean {
  const { row } = writer;
  const { fields, wording, around } = reading;
  beginRow(writer);
  clearCaptured(fields);
  if (!readRecord(writer, reading) || around === null) return false;
  const { values } = fields;
  const severityNumber = readNumberOf(values[place.severityNumber]!);
  const text = values[place.severityText]!;
  if (severityNumber === null || !isText(text)) return false;
  const severityText = severityNumber >= 1 || text.kind !== fieldKind.text ? '' : readSlice(text.slice);
  row.level = readSeverity({ severityNumber, severityText }, wording);
  const eventName = values[ownPlaces.eventName]!;
  if (values[place.body]!.kind === fieldKind.none && eventName.kind === fieldKind.text)
    copySlice(row.message, eventName.slice);
  copySlice(row.resource, reading.resource.slice);
  const millis = readTime(values);
  return (
    millis !== null && writeOwn(writer, values) && joinDirect(writer, around) && completeRow(writer, millis)
  );
}

function readRecord(writer: DirectWriter, reading: OtlpReading): boolean {
  const { reading: body, leaves } = writer;
  const { fields } = reading;
  if (!take(body, mark.objectBegin)) return false;
  do {
    if (!readKey(leaves, 0) || !take(body, mark.colon)) return false;
    const at = findPlace(fields, leaves);
    const holding = at === -1 ? undefined : fields.values[at]!;
    if (holding === undefined || holding.kind !== fieldKind.none) return false;
    if (at === place.attributes) {
      holding.kind = fieldKind.container;
      if (!readItems(writer, () => writeAttribute(writer, reading))) return false;
    } else if (at === place.body) {
      if (!readValue(writer, holding)) return false;
      copySlice(writer.row.message, holding.slice);
    } else if (!captureScalar(body, holding)) return false;
  } while (take(body, mark.comma));
  return take(body, mark.objectEnd);
}

function writeAttribute(writer: DirectWriter, { value }: OtlpReading): boolean {
  const { reading, leaves, text } = writer;
  if (!take(reading, mark.objectBegin) || !takeName(reading, quoted.key)) return false;
  if (peek(reading) !== mark.quote || !readString(reading, text) || !setKey(leaves, text)) return false;
  if (!recordKey(leaves.keys, true, 0) || !take(reading, mark.comma) || !takeName(reading, quoted.value))
    return false;
  return readValue(writer, value) && take(reading, mark.objectEnd) && writeLeaf(leaves, value.slice);
}

/** Reads a value of a simple type. */
function readValue({ reading }: DirectWriter, value: CapturedValue): boolean {
  if (!take(reading, mark.objectBegin)) return false;
  const isKnown = kinds.some(kind => takeName(reading, kind));
  return (
    isKnown && captureScalar(reading, value) && value.kind !== fieldKind.null && take(reading, mark.objectEnd)
  );
}

function writeOwn(writer: DirectWriter, values: readonly CapturedValue[]): boolean {
  for (const { at, name } of ownTexts) {
    const value = values[at]!;
    const isId = at === ownPlaces.traceId || at === ownPlaces.spanId;
    if (!isText(value) || (isId && holdsCapitals(value))) return false;
    if (
      value.kind === fieldKind.text &&
      !isEmptySlice(value.slice) &&
      !writeNamed(writer, name.slice, value.slice)
    )
      return false;
  }
  for (const { at, name } of ownNumbers) {
    const number = readNumberOf(values[at]!);
    if (number === null || values[at]!.kind === fieldKind.text) return false;
    if (number !== 0 && !writeNamed(writer, name.slice, values[at]!.slice)) return false;
  }
  return true;
}

/** Ids are stored in lower case. Upper case is rare, so the other reader converts it. */
function holdsCapitals({ kind, slice }: CapturedValue): boolean {
  return kind === fieldKind.text && /[^0-9a-f]/.test(readSlice(slice));
}

function isText({ kind }: CapturedValue): boolean {
  return kind === fieldKind.text || kind === fieldKind.none || kind === fieldKind.null;
}

/** Reads a number. Returns 0 if it is missing and null for other types. */
function readNumberOf({ kind, slice }: CapturedValue): number | null {
  if (kind === fieldKind.none || kind === fieldKind.null) return 0;
  if (kind === fieldKind.number) return Number(readSlice(slice));
  return kind === fieldKind.text ? readSeverityNumber(readSlice(slice)) : null;
}

/** Returns null if any of the values is not a time. */
function readTime(values: readonly CapturedValue[]): number | null {
  const time = readNanosOf(values[place.time]!);
  const observed = readNanosOf(values[place.observed]!);
  return time === null || observed === null ? null : time || observed || noTime;
}

function readNanosOf({ kind, slice }: CapturedValue): number | null {
  if (kind === fieldKind.none || kind === fieldKind.null) return 0;
  return kind === fieldKind.text ? readNanosSlice(slice) : null;
}
