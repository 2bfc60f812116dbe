/** Judges one item of an ingest request and writes it into the batch: one pass, and nothing in between. */
import { type LogLevel, limits, ServiceError } from '../../../vocabulary.ts';
import type { LogBatch, LogRow } from '../../ports/logs.ts';
import { isLonger } from '../../textLengths.ts';
import { halfPairSentence } from '../../wellFormedTexts.ts';
import type { Stamper } from './identity.ts';
import { type LevelSynonyms, readLevelSynonym } from './levels.ts';
import { flattenMetadata, type LeafSink } from './metadata.ts';
import { readTimestampMicros } from './timestamps.ts';

/** The explicit timestamps that are accepted. */
export type TimeRange = { fromMicros: number; toMicros: number };

export type ItemRules = {
  range: TimeRange;
  /** Words that stand for levels, beside the four levels themselves; null: none. */
  levelSynonyms: LevelSynonyms | null;
};

/** Where the items of one request go. */
export type ItemSink = { batch: LogBatch; stamper: Stamper; rules: ItemRules };

/** Writes item after item of one request; keeps the row that it fills, so that none is built per entry. */
export type ItemWriter = LeafSink &
  ItemSink & {
    row: LogRow;
    /** Of the item being written, for the error. */
    index: number;
  };

type Item = {
  level?: unknown;
  message?: unknown;
  metadata?: unknown;
  resource?: unknown;
  timestamp?: unknown;
  parentId?: unknown;
};

export function createItemWriter(sink: ItemSink): ItemWriter {
  const writer: ItemWriter = {
    ...sink,
    row: {
      timestampMicros: 0,
      identityHigh: 0,
      identityLow: 0,
      level: 'info',
      message: '',
      resource: '',
      parentId: '',
    },
    index: 0,
    addLeaf: sink.batch.addLeaf,
    fail(field, sentence) {
      const { index } = writer;
      throw new ServiceError('invalid_field', `Entry ${index}: ${field} ${sentence}`, { field, index });
    },
  };
  sink.stamper.begin();
  return writer;
}

/** The row holds the entry's time and identity afterwards. Throws with the index and the field that is wrong. */
export function writeItem(writer: ItemWriter, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw noObjectError(writer);
  const item = value as Item; // an object of JSON: each property is checked below
  const { row, stamper } = writer;
  row.level = readLevel(writer, item.level);
  row.message = readMessage(writer, item.message);
  row.resource = readName(writer, 'resource', item.resource);
  row.parentId = readName(writer, 'parentId', item.parentId);
  flattenMetadata(writer, item.metadata);
  if (item.timestamp === undefined || item.timestamp === null) stamper.stampTime(row);
  else row.timestampMicros = readTimestamp(writer, item.timestamp);
  stamper.stampIdentity(row);
  writer.batch.add(row);
  writer.index++;
}

function noObjectError({ index }: ItemWriter): ServiceError {
  return new ServiceError('invalid_field', `Entry ${index}: must be an object.`, { index });
}

function readLevel(writer: ItemWriter, value: unknown): LogLevel {
  if (value === 'info' || value === 'debug' || value === 'warn' || value === 'error') return value;
  const { levelSynonyms } = writer.rules;
  const synonym = levelSynonyms && readLevelSynonym(levelSynonyms, value);
  return synonym ?? writer.fail('level', 'must be one of debug, info, warn and error.');
}

function readMessage(writer: ItemWriter, value: unknown): string {
  if (typeof value !== 'string') writer.fail('message', 'must be a string.');
  if (!value.isWellFormed()) writer.fail('message', halfPairSentence);
  if (isLonger(value, limits.logMessageBytesMax)) {
    writer.fail('message', `may be at most ${limits.logMessageBytesMax} bytes long.`);
  }
  return value;
}

function readName(writer: ItemWriter, field: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') writer.fail(field, `must be a string.`);
  if (!value.isWellFormed()) writer.fail(field, halfPairSentence);
  if (isLonger(value, limits.logNameBytesMax))
    writer.fail(field, `may be at most ${limits.logNameBytesMax} bytes long.`);
  return value;
}

function readTimestamp(writer: ItemWriter, value: unknown): number {
  const micros = readTimestampMicros(value);
  if (micros === null) writer.fail('timestamp', 'must be an RFC 3339 instant or Unix milliseconds.');
  const { fromMicros, toMicros } = writer.rules.range;
  if (micros > toMicros) writer.fail('timestamp', 'is more than a day ahead.');
  if (micros < 0) writer.fail('timestamp', 'is before 1970.');
  if (micros < fromMicros) writer.fail('timestamp', 'is older than the dataset keeps entries.');
  return micros;
}
