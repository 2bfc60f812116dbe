/** Sends the blocks of a segment to ClickHouse as one insert, and again when it is not known what became of the first. */
import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Endpoint } from './engine/engine.ts';
import { blockColumns, type RowRange } from './native.ts';
import { indexSettings, insertTarget, localTable } from './schema.ts';

export type Insert = {
  /** Under which the engine lists it while it runs, and takes it once. */
  name: string;
  range: RowRange;
  blocks: AsyncIterable<Buffer>;
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
const answerCharactersMax = 4_096;
const idleTimeMsMax = 20_000; // below the engine's own limit, so that nothing is sent into what is being closed

/** Connections that are kept between inserts. */
export type InsertAgent = { http: http.Agent; https: https.Agent };

export function createInsertAgent(): InsertAgent {
  const options = { keepAlive: true, timeout: idleTimeMsMax, scheduling: 'lifo' } as const;
  return { http: new http.Agent(options), https: new https.Agent(options) };
}

/** Resolves once the rows are visible and synced. For a segment that was never sent before. */
export async function insertBlocks(agent: InsertAgent, endpoint: Endpoint, insert: Insert): Promise<void> {
  await send(agent, endpoint, {
    ...insert,
    sql: `INSERT INTO ${insertTarget} FORMAT Native`,
    settings: { insert_deduplicate: 1, insert_deduplication_token: insert.name },
  });
}

/**
 * The same after an insert of the segment whose outcome is not known: sends it without the rows that are there already.
 * The engine's own memory of inserts does not help here: it notes an insert before the rows are in place, and keeps that
 * note when it dies in between, while a power cut may leave the rows and not the note.
 */
export async function insertMissing(agent: InsertAgent, endpoint: Endpoint, insert: Insert): Promise<void> {
  const running = await send(agent, endpoint, {
    // Its pieces run under names that begin with its own, and no segment's name begins with that of another.
    sql: 'SELECT count() FROM system.processes WHERE startsWith(query_id, {name:String}) FORMAT TSV',
    settings: { param_name: insert.name },
  });
  if (running.trim() !== '0')
    throw new InsertError('An earlier insert of the same entries is still running.');
  await send(agent, endpoint, {
    ...insert,
    sql: formatInsertMissing(insert.range),
    settings: { insert_deduplicate: 0 },
  });
}

const identityRoundingMax = 2048n; // of numbers between 2^63 and 2^64

function formatInsertMissing(range: RowRange): string {
  const names = blockColumns.map(({ name }) => name).join(', ');
  const structure = blockColumns.map(({ name, type }) => `${name} ${type}`).join(', ');
  return `INSERT INTO ${insertTarget}
    SELECT ${names} FROM input('${structure.replaceAll("'", "\\'")}')
    WHERE toUInt64(toUInt128(traceId)) NOT IN (
      SELECT identity FROM ${localTable}
      WHERE timestamp BETWEEN fromUnixTimestamp64Micro(${range.timeMin}) AND fromUnixTimestamp64Micro(${range.timeMax})
        AND identity BETWEEN ${BigInt(range.identityMin) - identityRoundingMax} AND ${BigInt(range.identityMax) + identityRoundingMax}
    )
    FORMAT Native`;
}

type Sent = { sql: string; settings: Record<string, string | number> } & Partial<Insert>;

const insertSettings = {
  async_insert: 0,
  // All of a segment is one block, and so of each partition one part, which becomes visible at once.
  min_insert_block_size_rows: 10_000_000,
  min_insert_block_size_bytes: 1_000_000_000,
  // Each takes megabytes of memory, and a batch may reach over hundreds of partitions. Queries wait for all of them.
  max_insert_delayed_streams_for_parallel_write: 16,
  max_partitions_per_insert_block: 0, // old timestamps are nobody's mistake
  ...indexSettings,
};

/** Resolves to the text of the answer when that says that the statement succeeded. */
async function send(
  agent: InsertAgent,
  endpoint: Endpoint,
  { sql, settings, ...insert }: Sent,
): Promise<string> {
  const url = new URL(endpoint.url);
  const parameters = { ...(insert.blocks && insertSettings), ...settings, query: sql };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, String(value));
  if (insert.name !== undefined) url.searchParams.set('query_id', insert.name);
  const isSecure = url.protocol === 'https:';
  const sent = (isSecure ? https : http).request(url, {
    method: 'POST',
    agent: isSecure ? agent.https : agent.http,
    headers: { ...endpoint.headers, ...(insert.blocks === undefined && { 'content-length': 0 }) },
    signal: AbortSignal.timeout(answerTimeMsMax),
  });
  const answered = readAnswer(sent);
  const body = Readable.from(insert.blocks ?? [], { objectMode: false });
  const streamed = pipeline(body, sent);
  try {
    // The answer comes first when it is a refusal; then the rest of the body is of no use.
    return await Promise.race([answered, streamed.then(() => answered)]);
  } catch (cause) {
    sent.destroy();
    if (cause instanceof InsertError) throw cause;
    throw new InsertError(cause instanceof Error ? cause.message : 'The connection failed.', { cause });
  } finally {
    answered.catch(() => {});
    streamed.catch(() => {});
  }
}

function readAnswer(sent: http.ClientRequest): Promise<string> {
  return new Promise((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', response => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        if (text.length < answerCharactersMax) text += chunk;
      });
      response.once('error', reject);
      response.once('end', () => {
        const isFailed = response.statusCode !== 200 || 'x-clickhouse-exception-code' in response.headers;
        // An error may also come after the head of the answer.
        if (!isFailed && !text.includes('DB::Exception')) return resolve(text);
        reject(new InsertError(text.slice(0, answerCharactersMax).trim() || `status ${response.statusCode}`));
      });
      response.once('close', () => reject(new InsertError('The answer was cut off.')));
    });
  });
}
