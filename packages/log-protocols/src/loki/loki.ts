/** Loki's push: streams of lines under labels, as JSON or as protobuf packed by Snappy. */
import { isObject } from '@tapedeck/json-values';
import { parseBody } from '@tapedeck/log-entries';
import {
  type FieldReaders,
  lengthDelimited,
  type Reader,
  readInner,
  readRoot,
  WireType,
} from '../protobuf.ts';
import { Fields, ProtocolFailure, requireCount, type SentEntry, type Wording } from '../sentEntry.ts';
import { readNanos } from '../times.ts';
import { parseLabels } from './labels.ts';

type Pairs = readonly (readonly [string, unknown])[];
type Line = { timestamp: unknown; text: string; metadata: Pairs };
type Stream = { labels: Pairs; lines: Line[] };

const resourceLabels = ['service_name', 'app', 'job', 'resource'];
const levelLabels = ['level', 'detected_level', 'severity'];

export function readLokiProtobuf(body: Buffer, wording: Wording): SentEntry[] {
  return listEntries(readRoot<Stream[]>(body, [], pushFields), wording);
}

export function readLokiJson(body: Buffer, wording: Wording): SentEntry[] {
  const push = parseBody(body);
  if (!isObject(push) || !Array.isArray(push.streams))
    throw new ProtocolFailure('bad_request', 'The body must be a JSON object with a list of streams.');
  return listEntries(push.streams.map(readStream), wording);
}

function listEntries(streams: readonly Stream[], wording: Wording): SentEntry[] {
  requireCount(streams.reduce((total, { lines }) => total + lines.length, 0));
  return streams.flatMap(({ labels, lines }) => lines.map(line => makeEntry(labels, line, wording)));
}

/** What a line says of itself goes before what its stream says. */
function makeEntry(labels: Pairs, { timestamp, text, metadata }: Line, wording: Wording): SentEntry {
  const fields = new Fields(metadata);
  for (const [name, value] of labels) fields.add([name, `stream.${name}`], value);
  return {
    dataset: fields.takeText(['dataset']),
    level: fields.takeLevel(levelLabels, wording) ?? 'info',
    message: text,
    resource: fields.takeText(resourceLabels) ?? '',
    timestamp,
    metadata: fields.toMetadata(),
  };
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
  return { timestamp, text, metadata: Object.entries(metadata ?? {}) };
}

/** As clients of before 2020 write it. */
function readOldLine(value: unknown, index: number): Line {
  if (!isObject(value) || typeof value.line !== 'string')
    throw misplaced(index, 'has an entry without its line, a string');
  return { timestamp: value.ts, text: value.line, metadata: [] };
}

function misplaced(index: number, sentence: string): ProtocolFailure {
  return new ProtocolFailure('bad_request', `Stream ${index} ${sentence}.`, { index });
}

const pushFields: FieldReaders<Stream[]> = {
  1: {
    wire: lengthDelimited,
    read: (streams, reader) => streams.push(readInner(reader, { labels: [], lines: [] }, streamFields)),
  },
};

const streamFields: FieldReaders<Stream> = {
  1: {
    wire: lengthDelimited,
    read: (stream, reader) => {
      stream.labels = parseLabels(reader.string());
    },
  },
  2: {
    wire: lengthDelimited,
    read: (stream, reader) => requireCount(stream.lines.push(readProtobufLine(reader))),
  },
};

type ProtobufLine = { seconds: number; nanos: number; text: string; metadata: [string, string][] };

function readProtobufLine(reader: Reader): Line {
  const line: ProtobufLine = { seconds: 0, nanos: 0, text: '', metadata: [] };
  const { seconds, nanos, text, metadata } = readInner(reader, line, lineFields);
  return { timestamp: seconds * 1000 + Math.floor(nanos / 1000) / 1000, text, metadata };
}

const lineFields: FieldReaders<ProtobufLine> = {
  1: { wire: lengthDelimited, read: (line, reader) => readInner(reader, line, timeFields) },
  2: {
    wire: lengthDelimited,
    read: (line, reader) => {
      line.text = reader.string();
    },
  },
  3: {
    wire: lengthDelimited,
    read: (line, reader) => line.metadata.push(readInner(reader, ['', ''], pairFields)),
  },
};

const timeFields: FieldReaders<ProtobufLine> = {
  1: {
    wire: WireType.Varint,
    read: (line, reader) => {
      line.seconds = Number(reader.int64());
    },
  },
  2: {
    wire: WireType.Varint,
    read: (line, reader) => {
      line.nanos = reader.int32();
    },
  },
};

const pairFields: FieldReaders<[string, string]> = {
  1: {
    wire: lengthDelimited,
    read: (pair, reader) => {
      pair[0] = reader.string();
    },
  },
  2: {
    wire: lengthDelimited,
    read: (pair, reader) => {
      pair[1] = reader.string();
    },
  },
};
