/** Sends the blocks of a segment to ClickHouse as one insert, and again if the outcome of the first is unknown. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { blockColumns, type RowRange } from '../../blocks/native.ts';
import type { DeletedPlace } from '../../journal/logDeletions.ts';
import { type Agents, awaitAnswer, type Endpoint, openRequest, readWholeAnswer } from '../engine/requests.ts';
import { quorumSettings, sequentialSettings } from '../schema/replication.ts';
import { indexSettings, insertTarget, localTable } from '../schema/schema.ts';

type Insert = {
  /** The engine lists the running insert by this name, and accepts it once. */
  name: string;
  range: RowRange;
  blocks: AsyncIterable<Buffer>;
  /** The insert has no effect if it begins later, by the server's clock (Unix milliseconds). */
  until?: number | null;
  /** True for a piece of a segment. The next attempt may cut the segment differently. */
  isPiece?: boolean;
  without?: readonly DeletedPlace[];
};

/** ClickHouse refused the insert, or its answer did not arrive. Without an answer, the outcome is unknown. */
export class InsertError extends Error {
  /** The server that stores the entries has no disk space left. */
  readonly isDiskFull: boolean;
  /** The server had too little memory for the insert. */
  readonly isOutOfMemory: boolean;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InsertError';
    this.isDiskFull = /No space left on device|NOT_ENOUGH_SPACE/.test(message);
    this.isOutOfMemory = /MEMORY_LIMIT_EXCEEDED/.test(message);
  }
}

const answerTimeMsMax = 120_000; // an insert takes a fraction of a second; a repeat does no harm

/** Inserts a segment that was never sent before. Resolves once the rows are visible and synced. */
export async function insertBlocks(agents: Agents, endpoint: Endpoint, insert: Insert): Promise<void> {
  await send(agents, endpoint, {
    ...insert,
    sql: formatInsert(insert),
    settings: { insert_deduplicate: 1, insert_deduplication_token: insert.name },
  });
}

/**
 * Repeats an insert whose outcome is unknown: sends only the rows that ClickHouse lacks. The engine's own memory of inserts
 * does not help here. It notes an insert before the rows are in place and keeps the note if it dies in between, and a power
 * cut may leave the rows without the note.
 */
export async function insertMissing(agents: Agents, endpoint: Endpoint, insert: Insert): Promise<void> {
  const [running, copied] = await send(agents, endpoint, {
    // Names of pieces begin with the insert's name, and no segment's name begins with that of another.
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
 * Copies of a shard share Keeper's notes along with the rows, so any copy recognises a repeat. A piece may be cut
 * differently the next time, so Keeper knows it by its contents instead of a name.
 */
function nameInKeeper({ name, isPiece = false }: Insert): Record<string, string | number> {
  return { insert_deduplicate: 1, ...(!isPiece && { insert_deduplication_token: name }) };
}

const identityRoundingMax = 2048n; // for numbers between 2^63 and 2^64

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

/** Formats an insert of the rows that meet the conditions. */
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

/** Slugs and names of datasets contain no characters that need escaping. */
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
  // Makes the segment one block, and so one part per partition, which becomes visible at once.
  min_insert_block_size_rows: 10_000_000,
  min_insert_block_size_bytes: 1_000_000_000,
  // Each stream takes megabytes of memory, and a batch may span hundreds of partitions. Queries wait for all of them.
  max_insert_delayed_streams_for_parallel_write: 16,
  max_partitions_per_insert_block: 0, // old timestamps are no error
  ...indexSettings,
};

/** Resolves to the text of the answer if the statement succeeded. */
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
    // A refusal may arrive before the whole body is sent; then the rest of the body is useless.
    return await Promise.race([answered, streamed.then(() => answered)]);
  } catch (cause) {
    sent.destroy();
    throw new InsertError(cause instanceof Error ? cause.message : 'The connection failed.', { cause });
  } finally {
    answered.catch(() => {});
    streamed.catch(() => {});
  }
}
