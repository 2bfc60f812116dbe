/** Rows for tests of the intake, and a way to read a journal without ClickHouse. */

import { createStamper, formatTraceId, type LogRow, systemMicros } from '@tapedeck/log-entries';
import pino from 'pino';
import type { BatchTarget } from '../src/blocks/targets.ts';
import type { LogIntake } from '../src/intake/logIntake.ts';
import { type JournalDisk, localDisk } from '../src/journal/disk/disk.ts';
import { recoverSegments } from '../src/journal/disk/recovery.ts';
import type { KeyRecord, Segment } from '../src/journal/journal.ts';
import type { EngineAccess } from '../src/writer/engine/supervision.ts';
import type { Shard } from '../src/writer/flushing/shardQueue.ts';
import { type DecodedRow, decodeBlock } from './nativeReading.ts';

const smallDiskBytes = 400_000_000;
export const silentLog = pino({ level: 'silent' });

const target: BatchTarget = { project: 'arena', dataset: 'game', retentionDays: null };
const stamper = createStamper(systemMicros);

/** A disk that looks small, so that its reserve is small. */
export const smallDisk: JournalDisk = {
  ...localDisk,
  measureSpace: async () => ({ freeBytes: smallDiskBytes, totalBytes: smallDiskBytes }),
};

/** A ClickHouse that is never up, so that acknowledged entries stay in the journal. */
const absentEngine: EngineAccess = { endpoint: () => null, onUp: () => () => {} };
export const absentShard: Shard = { url: 'absent', access: absentEngine };

type MessageOptions = {
  key?: KeyRecord;
  timestampsMicros?: readonly number[];
  target?: BatchTarget;
  /** Returns another value for the metadata of the entry. */
  nameValue?: (message: string) => string;
};

/** Stores one batch with an entry for each message; resolves to their traceIds once it is acknowledged. */
export async function storeMessages(
  intake: Pick<LogIntake, 'openBatch'>,
  messages: readonly string[],
  options: MessageOptions = {},
): Promise<string[]> {
  const batch = intake.openBatch(options.target ?? target, { isKeyed: options.key !== undefined });
  stamper.begin();
  const traceIds: string[] = [];
  for (const [index, message] of messages.entries()) {
    const row: LogRow = {
      timestampMicros: 0,
      identityHigh: 0,
      identityLow: 0,
      level: 'info',
      message,
      resource: 'test',
      parentId: '',
    };
    stamper.stampTime(row);
    row.timestampMicros = options.timestampsMicros?.[index] ?? row.timestampMicros;
    stamper.stampIdentity(row);
    batch.addLeaf('index', String(index));
    if (options.nameValue) batch.addLeaf('name', options.nameValue(message));
    batch.add(row);
    traceIds.push(formatTraceId(row));
  }
  await batch.commit(options.key ?? null);
  return traceIds;
}

/** Returns the batches that a start finds in the journal, as the flusher would send them. */
export async function recoverRows(directory: string, log = silentLog): Promise<DecodedRow[]> {
  const rows: DecodedRow[] = [];
  for (const segment of await recoverSegments({ disk: localDisk, log }, directory)) {
    for (const row of await readRows(segment)) rows.push(row);
    await segment.file.close();
  }
  return rows;
}

/** Reads the rows of a segment, block by block. */
export async function readRows(segment: Segment): Promise<DecodedRow[]> {
  const { offsets, lengths } = segment.extents;
  const rows: DecodedRow[] = [];
  for (const [index, length] of lengths.entries()) {
    const block = Buffer.alloc(length);
    await segment.read(block, offsets[index] ?? 0);
    for (const row of decodeBlock(block)) rows.push(row);
  }
  return rows;
}
