/** Reads events for Splunk's collector straight from bytes: envelopes with a text or an object. */
import type { Slice } from '@tapedeck/log-entries';
import { mark, peek } from '@tapedeck/log-entries/direct';
import {
  type CapturedFields,
  type CapturedValue,
  clearCaptured,
  fieldKind,
  listCapturedNames,
  listPlaces,
  openCapturedFields,
  readCapturedObject,
  takeCapturedLevel,
  takeCapturedLevelNumber,
  takeCapturedText,
  writeContainer,
  writeLeftOver,
} from '../direct/fieldCapture.ts';
import { type LevelWords, listLevelWords } from '../direct/levelWords.ts';
import { readTimeSlice } from '../direct/timeSlices.ts';
import { readJsonValues } from '../direct/valueSequences.ts';
import {
  beginRow,
  completeRow,
  copySlice,
  type DirectTask,
  type DirectWriter,
  isEmptySlice,
  noTime,
  readSlice,
  requireSimpleDataset,
  writeDirectText,
} from '../direct/writer.ts';
import type { Wording } from '../reading/sentEntry.ts';
import { readSeconds, splunkNames } from './reader.ts';

/** Envelope fields that are not metadata. The reader handles events with fields of these names, because there they mean something else. */
const envelopeNames = listCapturedNames(['time', 'event', 'index', 'fields', ...splunkNames.all]);
const [time, event, index, indexed] = [0, 1, 2, 3];
const surplusFrom = 4;
const eventNames = listCapturedNames(splunkNames.all);
const messages = listPlaces(splunkNames.all, splunkNames.message);
const levels = listPlaces(splunkNames.all, splunkNames.level);
const resources = listPlaces(splunkNames.all, splunkNames.resource);

type SplunkReading = {
  envelope: CapturedFields;
  fields: CapturedFields;
  words: LevelWords;
  readEnvelope(place: number): boolean;
};

export function writeSplunkEvents(task: DirectTask, body: Buffer, wording: Wording): string | null {
  if (envelopeNames === null || eventNames === null) return null;
  const envelope = openCapturedFields(envelopeNames, body);
  const fields = openCapturedFields(eventNames, body);
  const words = listLevelWords(wording.levels);
  return writeDirectText(task, body, writer => {
    const readInner = () => writeContainer(writer);
    const readEnvelope = (place: number) => {
      if (peek(writer.reading) !== mark.objectBegin || (place !== event && place !== indexed)) return false;
      if (place === indexed) return readCapturedObject(writer, fields, readInner);
      // A text among the indexed fields is not the event's message.
      if (messages.some(message => fields.values[message]!.kind !== fieldKind.none)) return false;
      if (!readCapturedObject(writer, fields, readInner)) return false;
      return takeCapturedText(fields, messages, writer.row.message);
    };
    return readJsonValues(writer, () => writeEvent(writer, { envelope, fields, words, readEnvelope }));
  });
}

function writeEvent(writer: DirectWriter, { envelope, fields, words, readEnvelope }: SplunkReading): boolean {
  const { row } = writer;
  beginRow(writer);
  clearCaptured(envelope);
  clearCaptured(fields);
  if (!readCapturedObject(writer, envelope, readEnvelope) || !isPlainEnvelope(envelope)) return false;
  if (!takeText(envelope.values[event]!, row.message) || !writeDataset(writer, envelope.values[index]!))
    return false;
  row.level = takeCapturedLevel(fields, levels, words) ?? takeCapturedLevelNumber(fields, levels) ?? 'info';
  takeCapturedText(fields, resources, row.resource);
  const millis = readTime(envelope.values[time]!);
  return millis !== null && writeLeftOver(writer, fields) && completeRow(writer, millis);
}

function isPlainEnvelope({ values }: CapturedFields): boolean {
  const { kind } = values[indexed]!;
  if (kind !== fieldKind.none && kind !== fieldKind.null && kind !== fieldKind.container) return false;
  for (let place = surplusFrom; place < values.length; place++)
    if (values[place]!.kind !== fieldKind.none) return false;
  return true;
}

/** The object has already set the message. */
function takeText({ kind, slice }: CapturedValue, message: Slice): boolean {
  if (kind === fieldKind.container) return true;
  if (kind === fieldKind.none || kind === fieldKind.null || isEmptySlice(slice)) return false;
  copySlice(message, slice);
  return true;
}

function isAbsent({ kind, slice }: CapturedValue): boolean {
  return (
    kind === fieldKind.none || kind === fieldKind.null || (kind === fieldKind.text && isEmptySlice(slice))
  );
}

function writeDataset(writer: DirectWriter, value: CapturedValue): boolean {
  if (isAbsent(value)) return requireSimpleDataset(writer, null);
  return value.kind === fieldKind.text && requireSimpleDataset(writer, readSlice(value.slice));
}

/** Returns null for a value that is not a time. */
function readTime(value: CapturedValue): number | null {
  if (isAbsent(value)) return noTime;
  if (value.kind === fieldKind.number) return readTimeSlice(value.slice, true);
  return value.kind === fieldKind.text ? readSeconds(readSlice(value.slice)) : null;
}
