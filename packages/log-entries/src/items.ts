/** Validates one item of an ingest request and writes it into the batch, in a single pass. */
import { halfPairSentence, isLonger, parseInstantMicros } from '@tapedeck/values/json';
import { EntryFailure } from './failure.ts';
import type { Stamper } from './identity.ts';
import { type LevelSynonyms, type LogLevel, logLevels } from './levels.ts';
import { entryLimits } from './limits.ts';
import { flattenMetadata, type LeafSink } from './metadata.ts';
import type { LogRow, RowSink } from './rows.ts';

/** The service rejects explicit timestamps outside this range. */
export type TimeRange = { fromMicros: number; toMicros: number };

export type ItemRules = {
  range: TimeRange;
  /** Words for levels besides the four levels themselves. null: only the four are accepted. */
  levelSynonyms: LevelSynonyms | null;
};

/** Receives the items of one request. */
export type ItemSink<Sink extends RowSink = RowSink> = { batch: Sink; stamper: Stamper; rules: ItemRules };

/** Writes the items of one request. It reuses one row, to avoid an allocation per entry. */
type ItemWriter = LeafSink &
  ItemSink & {
    row: LogRow;
    /** Index of the current item, for error messages. */
    index: number;
  };

/** An item that another intake format was translated into. */
export type LogItem = {
  level: LogLevel;
  message: string;
  resource: string;
  parentId: string;
  metadata: Record<string, string>;
  /** RFC 3339 or Unix milliseconds; absent: the time of receipt. */
  timestamp?: unknown;
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
      throw new EntryFailure('invalid_field', `Entry ${index}: ${field} ${sentence}`, { field, index });
    },
  };
  sink.stamper.begin();
  return writer;
}

/** Afterwards, the row holds the entry's time and identity. Errors name the item's index and the field. */
export function writeItem(writer: ItemWriter, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw noObjectError(writer);
  const item = value as Item; // an object of JSON: each property is checked below
  const { row, stamper } = writer;
  const level = readLevel(writer, item.level);
  row.level = level ?? 'info';
  row.message = readMessage(writer, item.message);
  row.resource = readName(writer, 'resource', item.resource);
  row.parentId = readName(writer, 'parentId', item.parentId);
  if (level === null) keepLevel(writer, item);
  else flattenMetadata(writer, item.metadata);
  if (item.timestamp === undefined || item.timestamp === null) stamper.stampTime(row);
  else row.timestampMicros = readTimestamp(writer, item.timestamp);
  stamper.stampIdentity(row);
  writer.batch.add(row);
  writer.index++;
}

function noObjectError({ index }: ItemWriter): EntryFailure {
  return new EntryFailure('invalid_field', `Entry ${index}: must be an object.`, { index });
}

/** Returns null for an unknown word if the rules accept unknown words. */
function readLevel(writer: ItemWriter, value: unknown): LogLevel | null {
  if (value === 'info' || value === 'debug' || value === 'warn' || value === 'error') return value;
  const { levelSynonyms } = writer.rules;
  if (levelSynonyms === null || typeof value !== 'string')
    writer.fail('level', 'must be one of debug, info, warn and error.');
  return readLevelSynonym(levelSynonyms, value);
}

/** Finds the level that a word means, in any letter case; null if it means none. */
export function readLevelSynonym(synonyms: LevelSynonyms, value: unknown): LogLevel | null {
  if (typeof value !== 'string') return null;
  const word = value.trim().toLowerCase();
  const known = logLevels.find(level => level === word) ?? synonyms.get(word);
  return known ?? logLevels.find(level => level === betweenLevels.exec(word)?.[1]) ?? null;
}

/** Go's slog names a level between its four by the next lower one: `INFO+2`. Its lowest ones are `DEBUG-4` and so on. */
const betweenLevels = /^(debug|info|warn|error)[+-]\d{1,9}$/;

const levelPath = 'level';

/** Keeps an unknown level word as `level` in the metadata. A value already at that path moves to `metadata.level`. */
function keepLevel(writer: ItemWriter, { level, metadata }: Item): void {
  const word = String(level); // `readLevel` accepts only texts as unknown levels
  if (!word.isWellFormed()) writer.fail('level', halfPairSentence);
  if (isLonger(word, entryLimits.metadataValueBytesMax))
    writer.fail('level', `may be at most ${entryLimits.metadataValueBytesMax} bytes long.`);
  const addLeaf: LeafSink['addLeaf'] = (path, value) =>
    writer.addLeaf(path === levelPath ? `metadata.${levelPath}` : path, value);
  flattenMetadata({ addLeaf, fail: writer.fail }, metadata);
  writer.addLeaf(levelPath, word);
}

function readMessage(writer: ItemWriter, value: unknown): string {
  if (typeof value !== 'string') writer.fail('message', 'must be a string.');
  if (!value.isWellFormed()) writer.fail('message', halfPairSentence);
  if (isLonger(value, entryLimits.messageBytesMax)) {
    writer.fail('message', `may be at most ${entryLimits.messageBytesMax} bytes long.`);
  }
  return value;
}

function readName(writer: ItemWriter, field: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') writer.fail(field, `must be a string.`);
  if (!value.isWellFormed()) writer.fail(field, halfPairSentence);
  if (isLonger(value, entryLimits.nameBytesMax))
    writer.fail(field, `may be at most ${entryLimits.nameBytesMax} bytes long.`);
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

/** Reads RFC 3339 or Unix milliseconds as Unix microseconds, and drops finer digits. Returns null for anything else. */
export function readTimestampMicros(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? Math.floor(value * 1000) : null;
  return typeof value === 'string' ? parseInstantMicros(value) : null;
}
