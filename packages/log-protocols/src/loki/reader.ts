/** Reads Loki's push: streams of lines with labels, as JSON or as Snappy-compressed protobuf. */

import { entryLimits, type LogLevel, parseBody, readLevelSynonym } from '@tapedeck/log-entries';
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { Fields, SharedAttributes, setOwn } from '../reading/fields.ts';
import {
  type FieldReaders,
  type Reader,
  readInner,
  readRoot,
  readText,
  tagOf,
  WireType,
} from '../reading/protobuf.ts';
import { ProtocolFailure, requireCount, type SentEntry, type Wording } from '../reading/sentEntry.ts';
import { readNanos } from '../reading/times.ts';
import { parseLabels } from './labels.ts';

type Line = { timestamp: unknown; text: string; metadata: Record<string, unknown> };
type Stream = { labels: readonly (readonly [string, unknown])[]; lines: Line[] };

const resourceLabels = ['service_name', 'app', 'job', 'resource'];
const levelLabels = ['level', 'detected_level', 'severity'];
/** Other names that senders use, such as the promtail client for Go. These labels stay in the metadata. */
const levelHints = ['lvl', 'logLevel', 'loglevel', 'log_level', 'severity_text'];
const labelsMax = entryLimits.metadataLeavesMax + 3; // dataset, level and resource are not metadata

export function readLokiProtobuf(body: Buffer, wording: Wording): SentEntry[] {
  return listEntries(readRoot<Stream[]>(body, [], pushFields), wording);
}

export function readLokiJson(body: Buffer, wording: Wording): SentEntry[] {
  const push = parseBody(body);
  if (!isObject(push) || !Array.isArray(push.streams))
    throw new ProtocolFailure('bad_request', 'The body must be a JSON object with a list of streams.');
  return listEntries(push.streams.map(readStream), wording);
}

/** The labels of a stream that become fields of the entry itself. */
type SortedLabels = { dataset: string | null; level: LogLevel; resource: string };

type LokiLabels = readonly (readonly [string, unknown])[];

/** Returns a function that sorts a stream's labels. Errors name the stream's index. */
function openStreams(
  wording: Wording,
): (labels: LokiLabels, index: number) => SharedAttributes<SortedLabels> {
  const fields = new Fields(['dataset', ...levelLabels, ...levelHints, ...resourceLabels]);
  const sort = (): SortedLabels => ({
    dataset: fields.takeText(['dataset']),
    level: fields.takeLevel(levelLabels, wording) ?? readHint(fields, wording) ?? 'info',
    resource: fields.takeText(resourceLabels) ?? '',
  });
  return (labels, index) => {
    if (labels.length > labelsMax) throw misplaced(index, `has more than ${labelsMax} labels`);
    const outer = labels.map(([name, value]) => [name, 'stream.', value] as const);
    return new SharedAttributes(outer, fields, sort);
  };
}

function readHint(fields: Fields, { levels }: Wording): LogLevel | null {
  for (const name of levelHints) {
    const level = readLevelSynonym(levels, fields.read(name));
    if (level !== null) return level;
  }
  return null;
}

function listEntries(streams: readonly Stream[], wording: Wording): SentEntry[] {
  requireCount(streams.reduce((total, { lines }) => total + lines.length, 0));
  const surround = openStreams(wording);
  const entries: SentEntry[] = [];
  for (const [index, { labels, lines }] of streams.entries()) {
    if (lines.length === 0) continue;
    const surroundings = surround(labels, index);
    for (const line of lines) entries.push(makeEntry(surroundings, line));
  }
  return entries;
}

/** A line's own fields take precedence over its stream's. */
function makeEntry(
  stream: SharedAttributes<SortedLabels>,
  { timestamp, text, metadata: own }: Line,
): SentEntry {
  const { sorted, metadata } = stream.join(own);
  const { dataset, level, resource } = sorted;
  return { dataset, level, message: text, resource, timestamp, metadata };
}

function readStream(value: unknown, index: number): Stream {
  if (!isObject(value)) throw misplaced(index, 'must be an object');
  const { stream, values, labels, entries } = value;
  if (values === undefined && typeof labels === 'string' && Array.isArray(entries))
    return { labels: parseLabels(labels), lines: entries.map(entry => readOldLine(entry, index)) };
  if (stream !== undefined && !isObject(stream)) throw misplaced(index, 'has labels that are no object');
  if (!Array.isArray(values)) throw misplaced(index, 'must have a list of values');
  return { labels: Object.entries(stream ?? {}), lines: values.map(line => readLine(line, index)) };
}

function readLine(value: unknown, index: number): Line {
  const [time, text, metadata] = Array.isArray(value) ? value : [];
  const timestamp = typeof time === 'string' ? readNanos(time) : null;
  if (timestamp === null) throw misplaced(index, 'has a value without its time, a string of nanoseconds');
  if (typeof text !== 'string') throw misplaced(index, 'has a value without its line, a string');
  if (metadata !== undefined && metadata !== null && !isObject(metadata))
    throw misplaced(index, 'has a value whose structured metadata is no object');
  return { timestamp, text, metadata: asOwn(metadata ?? {}) };
}

/** Reads lines in the format that clients used before 2020. */
function readOldLine(value: unknown, index: number): Line {
  if (!isObject(value) || typeof value.line !== 'string')
    throw misplaced(index, 'has an entry without its line, a string');
  return { timestamp: value.ts, text: value.line, metadata: {} };
}

/** The caller parsed this object for this entry only, so the entry may change it. */
function asOwn(metadata: JsonObject): Record<string, unknown> {
  return metadata;
}

function misplaced(index: number, sentence: string): ProtocolFailure {
  return new ProtocolFailure('bad_request', `Stream ${index} ${sentence}.`, { index });
}

const { LengthDelimited, Varint } = WireType;

const pushFields: FieldReaders<Stream[]> = {
  [tagOf(1, LengthDelimited)]: (streams, reader) =>
    streams.push(readInner(reader, { labels: [], lines: [] }, streamFields)),
};

const streamFields: FieldReaders<Stream> = {
  [tagOf(1, LengthDelimited)]: (stream, reader) => {
    stream.labels = parseLabels(readText(reader));
  },
  [tagOf(2, LengthDelimited)]: (stream, reader) => requireCount(stream.lines.push(readProtobufLine(reader))),
};

type ProtobufLine = { seconds: number; nanos: number; text: string; metadata: Record<string, unknown> };

function readProtobufLine(reader: Reader): Line {
  const line: ProtobufLine = { seconds: 0, nanos: 0, text: '', metadata: {} };
  const { seconds, nanos, text, metadata } = readInner(reader, line, lineFields);
  return { timestamp: seconds * 1000 + Math.floor(nanos / 1000) / 1000, text, metadata };
}

const lineFields: FieldReaders<ProtobufLine> = {
  [tagOf(1, LengthDelimited)]: (line, reader) => readInner(reader, line, timeFields),
  [tagOf(2, LengthDelimited)]: (line, reader) => {
    line.text = readText(reader);
  },
  [tagOf(3, LengthDelimited)]: ({ metadata }, reader) => {
    const { name, value } = readInner(reader, { name: '', value: '' }, pairFields);
    setOwn(metadata, name, value);
  },
};

const timeFields: FieldReaders<ProtobufLine> = {
  [tagOf(1, Varint)]: (line, reader) => {
    line.seconds = Number(reader.int64());
  },
  [tagOf(2, Varint)]: (line, reader) => {
    line.nanos = reader.int32();
  },
};

const pairFields: FieldReaders<{ name: string; value: string }> = {
  [tagOf(1, LengthDelimited)]: (pair, reader) => {
    pair.name = readText(reader);
  },
  [tagOf(2, LengthDelimited)]: (pair, reader) => {
    pair.value = readText(reader);
  },
};
