/** Reads bulk requests straight from bytes, if they only create documents in one index. */
import type { LogLevel, Slice } from '@tapedeck/log-entries';
import { createSlice, mark, peek } from '@tapedeck/log-entries/direct';
import {
  type CapturedFields,
  clearCaptured,
  isCaptured,
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
import { writeWatched } from '../direct/inspectedObjects.ts';
import { type LevelWords, listLevelWords, readLevelWord } from '../direct/levelWords.ts';
import { endsLine, findLineEnd } from '../direct/valueSequences.ts';
import {
  beginRow,
  clearSlice,
  completeRow,
  copySlice,
  type DirectTask,
  type DirectWriter,
  nameDirectly,
  noTime,
  requireSimpleDataset,
  spendWork,
  writeDirectText,
  writeNamed,
} from '../direct/writer.ts';
import { journalNames } from '../reading/journalNames.ts';
import { ProtocolFailure } from '../reading/sentEntry.ts';
import { type BulkOptions, type BulkPlace, bulkNames, readAction } from './bulk.ts';

/** A new action must be parsed, and its document answered separately. */
const actionWork = 24;

/** A run of documents whose actions are the same. */
type BulkRun = BulkPlace & { count: number };

const names = listCapturedNames(bulkNames.all);
const times = listPlaces(bulkNames.all, ['@timestamp']);
const anyTimes = listPlaces(bulkNames.all, bulkNames.time);
const levels = listPlaces(bulkNames.all, bulkNames.level);
const otherLevels = listPlaces(bulkNames.all, bulkNames.otherLevel);
const numbers = listPlaces(bulkNames.all, ['level']);
const messages = listPlaces(bulkNames.all, bulkNames.message);
const serviceNames = listPlaces(bulkNames.all, ['service.name']);
const journalLevels = listPlaces(bulkNames.all, journalNames.level);
const journalResources = listPlaces(bulkNames.all, journalNames.resource);
const [service, log] = listPlaces(bulkNames.all, ['service', 'log']);
const serviceName = Buffer.from('name');
const logLevel = Buffer.from('level');
const logLevelName = nameDirectly('log.level');
const idName = nameDirectly('_id');

type BulkReading = {
  fields: CapturedFields;
  words: LevelWords;
  options: BulkOptions;
  runs: BulkRun[];
  /** The last action read, and its bytes below. */
  place: BulkPlace | null;
  line: Slice;
  /** The name in `service` and the level in `log`; empty if absent. */
  innerService: Slice;
  innerLevel: { slice: Slice; level: LogLevel | null };
};

/** Returns the runs of all written documents, or null if the body is not plain. */
export function writeBulk(
  task: DirectTask,
  body: Buffer,
  options: BulkOptions,
): { runs: BulkRun[]; traceId: string } | null {
  if (names === null) return null;
  const reading: BulkReading = {
    fields: openCapturedFields(names, body),
    words: listLevelWords(options.levels),
    options,
    runs: [],
    place: null,
    line: createSlice(body),
    innerService: createSlice(body),
    innerLevel: { slice: createSlice(body), level: null },
  };
  const traceId = writeDirectText(task, body, writer => writeDocuments(writer, reading));
  return traceId === null ? null : { runs: reading.runs, traceId };
}

function writeDocuments(writer: DirectWriter, reading: BulkReading): boolean {
  const body = writer.reading;
  while (peek(body) !== 0) if (!takePlace(writer, reading) || !writeDocument(writer, reading)) return false;
  return body.at === body.bytes.length;
}

/** Reads the action of the next document. Most shippers repeat the same one. */
function takePlace(writer: DirectWriter, reading: BulkReading): boolean {
  const { line } = reading;
  const { reading: body } = writer;
  const { bytes, at: start } = body;
  const lineEnd = findLineEnd(bytes, start);
  const isSame =
    reading.place !== null &&
    lineEnd - start === line.end - line.start &&
    bytes.compare(bytes, line.start, line.end, start, lineEnd) === 0;
  if (!isSame) {
    if (!spendWork(writer, actionWork)) return false;
    reading.place = readPlace(bytes.toString('utf8', start, lineEnd), reading.options);
    Object.assign(line, { start, end: lineEnd });
  }
  const { place, runs } = reading;
  if (place === null || !requireSimpleDataset(writer, place.index === '' ? null : place.index)) return false;
  const run = runs.at(-1);
  if (isSame && run !== undefined && place.id === null) run.count++;
  else runs.push({ ...place, count: 1 });
  body.at = lineEnd;
  return true;
}

/** Returns null if the action does not create a document. */
function readPlace(line: string, options: BulkOptions): BulkPlace | null {
  try {
    const place = readAction(line, options, 0);
    return place.action === 'create' || place.action === 'index' ? place : null;
  } catch (error) {
    if (error instanceof ProtocolFailure) return null;
    throw error;
  }
}

function writeDocument(writer: DirectWriter, reading: BulkReading): boolean {
  const { row, reading: body } = writer;
  const { fields, words, place, innerService, innerLevel } = reading;
  peek(body);
  const lineEnd = findLineEnd(body.bytes, body.at);
  beginRow(writer);
  clearCaptured(fields);
  clearSlice(innerService);
  innerLevel.level = null;
  const isRead = readCapturedObject(writer, fields, at => readContainer(writer, reading, at));
  if (!isRead || !endsLine(body, lineEnd)) return false;
  const outerLevel = takeCapturedLevel(fields, levels, words);
  if (
    outerLevel !== null &&
    innerLevel.level !== null &&
    !writeNamed(writer, logLevelName.slice, innerLevel.slice)
  )
    return false;
  row.level =
    outerLevel ??
    innerLevel.level ??
    takeCapturedLevelNumber(fields, numbers) ??
    takeCapturedLevel(fields, otherLevels, words) ??
    takeCapturedLevelNumber(fields, journalLevels) ??
    'info';
  takeCapturedWords(fields, messages, row.message);
  if (!takeCapturedText(fields, serviceNames, row.resource)) {
    copySlice(row.resource, innerService);
    if (innerService.start === innerService.end) takeCapturedText(fields, journalResources, row.resource);
  }
  if (place?.id != null && !writeNamed(writer, idName.slice, nameDirectly(place.id).slice)) return false;
  const millis = takeCapturedTime(fields, times);
  if (millis === noTime && anyTimes.some(at => isCaptured(fields, at))) return false;
  return writeLeftOver(writer, fields) && completeRow(writer, millis);
}

function readContainer(writer: DirectWriter, reading: BulkReading, place: number): boolean {
  const isObject = peek(writer.reading) === mark.objectBegin;
  if (isObject && place === service)
    return writeWatched(writer, serviceName, name => {
      copySlice(reading.innerService, name);
      return false;
    });
  if (isObject && place === log)
    return writeWatched(writer, logLevel, word => {
      const level = readLevelWord(reading.words, word);
      if (level !== null) copySlice(reading.innerLevel.slice, word);
      reading.innerLevel.level = level;
      return level !== null;
    });
  // A list of words is the message, so it cannot be metadata.
  return (isObject || !messages.includes(place)) && writeContainer(writer);
}
