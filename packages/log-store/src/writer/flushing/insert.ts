/** Sends the blocks of a segment to ClickHouse as one insert, and again when the outcome of the first is not known. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { blockColumns, type RowRange } from '../../blocks/native.ts';
import type { DeletedPlace } from '../../journal/logDeletions.ts';
import { type Agents, awaitAnswer, type Endpoint, openRequest, readWholeAnswer } from '../engine/requests.ts';
import { quorumSettings, sequentialSettings } from '../schema/replication.ts';
import { indexSettings, insertTarget, localTable } from '../schema/schema.ts';

type Insert = {
  /** Under which the engine lists it while it runs, and takes it once. */
  name: string;
  range: RowRange;
  blocks: AsyncIterable<Buffer>;
  /** It does not take effect if it begins later, by the server's clock (Unix milliseconds). */
  until?: number | null;
  /** A part of a segment, which may be cut otherwise the next time. */
  isPiece?: boolean;
  /** Entries to leave out. */
  without?: readonly DeletedPlace[];
};

/** ClickHouse refused the insert, or its answer did not arrive: then it is not known whether it took effect. */
export class InsertError extends Error {
  /** The server that stores the entries has no room left. */
  readonly isDiskFull: boolean;
  /** The server had not enough memory for it. */
  readonly isOutOfMemory: boolean;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InsertError';
    this.isDiskFull = /No space left on device|NOT_ENOUGH_SPACE/.test(message);
    this.isOutOfMemory = /MEMORY_LIMIT_EXCEEDED/.test(message);
  }
}

const answerTimeMsMax = 120_000; // an insert takes a fraction of a second; a repeat does no harm

/** Resolves once the rows are visible and synced. For a segment that was never sent before. */
export async function insertBlocks(agents: Agents, endpoint: Endpoint, insert: Insert): Promise<void> {
  await send(agents, endpoint, {
    ...insert,
    sql: formatInsert(insert),
    settings: { insert_deduplicate: 1, insert_deduplication_token: insert.name },
  });
}

/**
 * The same after an insert of the segment whose outcome is unknown: sends only the rows that ClickHouse lacks. The
 * engine's own memory of inserts does not help here. It notes an insert before the rows are in place and keeps the note
 * if it dies in between, and a power cut may leave the rows without the note.
 */
export async function insertMissing(agents: Agents, endpoint: Endpoint, insert: Insert): Promise<void> {
  const [running, copied] = await send(agents, endpoint, {
    // Its pieces run under names that begin with its own, and no segment's name begins with that of another.
    sql: `SELECT count(), (SELECT count() FROM system.tables
        WHERE concat(database, '.', name) = '${localTable}' AND startsWith(engine, 'Replicated'))
      FROM system.processes WHERE startsWith(query_id, {name:String}) FORMAT TSV`,
    settings: { param_name: insert.name },
  }).then(answer => answer.trim().split('\t'));
  if (running !== '0') throw new InsertError('An earlier insert of the same entries is still running.');
  await send(agents, endpoint, {
    ...insert,
    sql: formatInsertMissing(insert),
    settings: {
      ...(copied === '0' ? { insert_deduplicate: 0 } : nameInKeeper(insert)),
      ...sequentialSettings,
      ...bindPlaces(insert.without),
    },
  });
}

/**
 * Copies of a shard share what Keeper notes with the rows themselves, so that a repeat at any copy is known. What may be cut otherwise the next
 * time has no name of its own, but what it holds.
 */
function nameInKeeper({ name, isPiece = false }: Insert): Record<string, string | number> {
  return { insert_deduplicate: 1, ...(!isPiece && { insert_deduplication_token: name }) };
}

const identityRoundingMax = 2048n; // of numbers between 2^63 and 2^64

function formatInsert({ until = null }: Insert): string {
  return until === null ? `INSERT INTO ${insertTarget} FORMAT Native` : formatSelecting(until, '');
}

function formatInsertMissing({ range, until = null, without = [] }: Insert): string {
  return formatSelecting(
    until,
    ` AND toUInt64(toUInt128(traceId)) NOT IN (
      SELECT identity FROM ${localTable}
      WHERE timestamp BETWEEN fromUnixTimestamp64Micro(${range.timeMin}) AND fromUnixTimestamp64Micro(${range.timeMax})
        AND identity BETWEEN ${BigInt(range.identityMin) - identityRoundingMax} AND ${BigInt(range.identityMax) + identityRoundingMax}
    )${without.map(formatOther).join('')}`,
  );
}

/** Inserts what the conditions let through. */
function formatSelecting(until: number | null, conditions: string): string {
  const names = blockColumns.map(({ name }) => name).join(', ');
  const structure = blockColumns.map(({ name, type }) => `${name} ${type}`).join(', ');
  const isInTime =
    until === null ? '1' : `throwIf(now64(3) > fromUnixTimestamp64Milli(toInt64(${until})), 'too late') = 0`;
  return `INSERT INTO ${insertTarget}
    SELECT ${names} FROM input('${structure.replaceAll("'", "\\'")}')
    WHERE ${isInTime}${conditions}
    FORMAT Native`;
}

function formatOther({ dataset }: DeletedPlace, index: number): string {
  const ofDataset = dataset === null ? '' : ` AND dataset = {dataset${index}:String}`;
  return ` AND NOT (project = {project${index}:String}${ofDataset})`;
}

/** Slugs and names of datasets hold no character that would have to be escaped. */
function bindPlaces(places: readonly DeletedPlace[] = []): Record<string, string> {
  const bound = places.flatMap(({ project, dataset }, index) => [
    [`param_project${index}`, project],
    [`param_dataset${index}`, dataset ?? ''],
  ]);
  return Object.fromEntries(bound);
}

type Sent = { sql: string; settings: Record<string, string | number> } & Partial<Insert>;

const insertSettings = {
  async_insert: 0,
  ...quorumSettings,
  // All of a segment is one block, and so of each partition one part, which becomes visible at once.
  min_insert_block_size_rows: 10_000_000,
  min_insert_block_size_bytes: 1_000_000_000,
  // Each takes megabytes of memory, and a batch may reach over hundreds of partitions. Queries wait for all of them.
  max_insert_delayed_streams_for_parallel_write: 16,
  max_partitions_per_insert_block: 0, // old timestamps are nobody's mistake
  ...indexSettings,
};

/** Resolves to the text of the answer when that says that the statement succeeded. */
async function send(agents: Agents, endpoint: Endpoint, { sql, settings, ...insert }: Sent): Promise<string> {
  const sent = openRequest(endpoint, {
    parameters: {
      ...(insert.blocks && insertSettings),
      ...settings,
      query: sql,
      ...(insert.name !== undefined && { query_id: insert.name }),
    },
    headers: insert.blocks === undefined ? { 'content-length': 0 } : {},
    agents,
    signal: AbortSignal.timeout(answerTimeMsMax),
  });
  const answered = awaitAnswer(sent).then(readWholeAnswer);
  const body = Readable.from(insert.blocks ?? [], { objectMode: false });
  const streamed = pipeline(body, sent);
  try {
    // The answer comes first when it is a refusal; then the rest of the body is of no use.
    return await Promise.race([answered, streamed.then(() => answered)]);
  } catch (cause) {
    sent.destroy();
    throw new InsertError(cause instanceof Error ? cause.message : 'The connection failed.', { cause });
  } finally {
    answered.catch(() => {});
    streamed.catch(() => {});
  }
}
