/** Sends the blocks of a segment to ClickHouse as one insert. */
import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Endpoint } from './engine/engine.ts';

export type Insert = {
  /** Database and table, as SQL spells them. */
  table: string;
  /** ClickHouse takes inserts of one name once. */
  name: string;
  bytes: number;
  blocks: AsyncIterable<Buffer>;
};

/** ClickHouse refused the insert, or its answer did not arrive: whether it took effect is not known. */
export class InsertError extends Error {
  /** The server that stores the entries has no room left. */
  readonly isDiskFull: boolean;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InsertError';
    this.isDiskFull = /No space left on device|NOT_ENOUGH_SPACE/.test(message);
  }
}

const answerTimeMsMax = 120_000; // an insert takes a fraction of a second; a repeat does no harm
const answerCharactersMax = 4_096;

/** Connections that are kept between inserts. Destroy it before the engine stops, which would wait for them. */
export type InsertAgent = { http: http.Agent; https: https.Agent };

export function createInsertAgent(): InsertAgent {
  // Below the engine's own limit for idle connections, so that no insert is sent into one that is being closed.
  const options = { keepAlive: true, timeout: 20_000, scheduling: 'lifo' } as const;
  return { http: new http.Agent(options), https: new https.Agent(options) };
}

/** Resolves once the rows are visible and synced. */
export async function insertBlocks(agent: InsertAgent, endpoint: Endpoint, insert: Insert): Promise<void> {
  const url = new URL(endpoint.url);
  url.search = new URLSearchParams({
    query: `INSERT INTO ${insert.table} FORMAT Native`,
    async_insert: '0',
    insert_deduplicate: '1',
    insert_deduplication_token: insert.name,
    deduplicate_blocks_in_dependent_materialized_views: '1',
    // All of a segment is one block, and so of each partition one part, which becomes visible at once.
    min_insert_block_size_rows: '10000000',
    min_insert_block_size_bytes: '1000000000',
    max_partitions_per_insert_block: '0', // old timestamps are nobody's mistake
  }).toString();
  const request = url.protocol === 'https:' ? https.request : http.request;
  const sent = request(url, {
    method: 'POST',
    agent: url.protocol === 'https:' ? agent.https : agent.http,
    headers: {
      ...endpoint.headers,
      'content-length': insert.bytes,
      'content-type': 'application/octet-stream',
    },
    signal: AbortSignal.timeout(answerTimeMsMax),
  });
  const answered = readAnswer(sent);
  const streamed = pipeline(
    Readable.from(insert.blocks, { objectMode: false, highWaterMark: 1024 * 1024 }),
    sent,
  );
  try {
    // The answer comes first when it is a refusal; then the rest of the body is of no use.
    await Promise.race([answered, streamed.then(() => answered)]);
  } catch (cause) {
    sent.destroy();
    if (cause instanceof InsertError) throw cause;
    throw new InsertError(cause instanceof Error ? cause.message : 'The connection failed.', { cause });
  } finally {
    answered.catch(() => {});
    streamed.catch(() => {});
  }
}

/** Resolves when the answer says that the insert succeeded. */
function readAnswer(sent: http.ClientRequest): Promise<void> {
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
        const isFailed =
          response.statusCode !== 200 || 'x-clickhouse-exception-code' in response.headers || text !== '';
        if (!isFailed) return resolve();
        reject(new InsertError(text.slice(0, answerCharactersMax).trim() || `status ${response.statusCode}`));
      });
      response.once('close', () => reject(new InsertError('The answer was cut off.')));
    });
  });
}
