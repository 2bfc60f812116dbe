/** Reads Datadog's intake straight from bytes: JSON objects in a list or one after another. */
import { mark, peek, take } from '@tapedeck/log-entries/direct';
import {
  type CapturedFields,
  clearCaptured,
  fieldKind,
  listCapturedNames,
  listPlaces,
  openCapturedFields,
  readCapturedObject,
  takeCapturedLevel,
  takeCapturedLevelNumber,
  takeCapturedText,
  takeCapturedTime,
  takeCapturedWords,
  writeContainer,
  writeLeftOver,
} from '../direct/fieldCapture.ts';
import { type LevelWords, listLevelWords } from '../direct/levelWords.ts';
import { readJsonValues } from '../direct/valueSequences.ts';
import {
  beginRow,
  completeRow,
  type DirectTask,
  type DirectWriter,
  isEmptySlice,
  nameDirectly,
  requireSimpleDataset,
  spendWork,
  writeDirectText,
  writeNamed,
} from '../direct/writer.ts';
import { type DatadogOptions, datadogNames, readInnerLevel, statusWords } from './reader.ts';

const names = listCapturedNames(datadogNames.all);
const placesOf = (some: readonly string[]) => listPlaces(datadogNames.all, some);
const message = placesOf(['message']);
const service = placesOf(['service']);
const times = placesOf(datadogNames.time);
const levels = placesOf(datadogNames.level);
const status = placesOf(['status']);

const brace = '{'.charCodeAt(0);

type DatadogReading = {
  fields: CapturedFields;
  words: LevelWords;
  statusWords: LevelWords;
  options: DatadogOptions;
  defaults: readonly Default[];
};

/** A default from the URL. `place` is -1 when the reader does not ask for the name. */
type Default = {
  place: number;
  name: ReturnType<typeof nameDirectly>;
  value: ReturnType<typeof nameDirectly>;
};

export function writeDatadog(task: DirectTask, body: Buffer, options: DatadogOptions): string | null {
  if (!options.isJson || names === null) return null;
  const reading: DatadogReading = {
    fields: openCapturedFields(names, body),
    words: listLevelWords(options.levels),
    statusWords: listLevelWords(statusWords),
    options,
    defaults: Object.entries(options.defaults).map(([name, value]) => ({
      place: datadogNames.all.indexOf(name),
      name: nameDirectly(name),
      value: nameDirectly(value),
    })),
  };
  return writeDirectText(
    task,
    body,
    writer => requireSimpleDataset(writer, null) && readJsonValues(writer, () => writeEntry(writer, reading)),
  );
}

/** Writes containers in text fields as JSON. */
function readContainer(writer: DirectWriter, place: number): boolean {
  return place !== message[0] && writeContainer(writer);
}

function writeEntry(writer: DirectWriter, reading: DatadogReading): boolean {
  const { row } = writer;
  const { fields, defaults, words } = reading;
  beginRow(writer);
  clearCaptured(fields);
  // A captured value may still lie in the URL, but readers assume that it lies in the body.
  for (const { place } of defaults)
    if (place !== -1) fields.values[place]!.slice.bytes = writer.reading.bytes;
  if (!takeNonEmpty(writer) || !readCapturedObject(writer, fields, place => readContainer(writer, place)))
    return false;
  for (const each of defaults) if (!writeDefault(writer, fields, each)) return false;
  takeCapturedWords(fields, message, row.message);
  const level =
    takeCapturedLevel(fields, levels, words) ??
    takeCapturedLevel(fields, status, reading.statusWords) ??
    takeCapturedLevelNumber(fields, status);
  // Parses a message that is itself JSON to find its level.
  if (level === null && !spendWork(writer, row.message.end - row.message.start)) return false;
  row.level = level ?? findInnerLevel(writer, reading) ?? 'info';
  takeCapturedText(fields, service, row.resource);
  const millis = takeCapturedTime(fields, times);
  return writeLeftOver(writer, fields) && completeRow(writer, millis);
}

/** Skips the empty objects that agents send. */
function takeNonEmpty({ reading }: DirectWriter): boolean {
  const { at } = reading;
  const isEmpty = take(reading, mark.objectBegin) && peek(reading) === mark.objectEnd;
  reading.at = at;
  return !isEmpty;
}

function writeDefault(
  writer: DirectWriter,
  { values }: CapturedFields,
  { place, name, value }: Default,
): boolean {
  if (place === -1) return writeNamed(writer, name.slice, value.slice);
  const holding = values[place]!;
  if (holding.kind !== fieldKind.none) return true;
  holding.kind = fieldKind.text;
  Object.assign(holding.slice, value.slice);
  return true;
}

function findInnerLevel({ row }: DirectWriter, { options }: DatadogReading) {
  const { bytes, start, end } = row.message;
  if (isEmptySlice(row.message) || bytes[start] !== brace) return null;
  return readInnerLevel(bytes.toString('utf8', start, end), options);
}
