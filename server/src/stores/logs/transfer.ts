/** Carries the whole log table out of a ClickHouse and into one, as compressed Native blocks that nobody holds in memory. */
import http from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ServiceError } from '../../vocabulary.ts';
import type { EngineAccess } from './engine/supervision.ts';
import { indexSettings, localTable } from './schema.ts';

/** As they are stored; what is computed from them is computed anew. */
const columns =
  'project, dataset, timestamp, identity, retentionDays, level, resource, parentId, body, metadata, arrivedAt';

const readSettings = {
  max_threads: 2,
  enable_http_compression: 1,
  http_zlib_compression_level: 1,
  priority: 2,
};

/** Small parts in memory at a time: a month in one partition or a thousand days in as many. */
const writeSettings = {
  async_insert: 0,
  max_partitions_per_insert_block: 0,
  max_insert_threads: 1,
  min_insert_block_size_rows: 200_000,
  min_insert_block_size_bytes: 64_000_000,
  insert_deduplicate: 0,
  ...indexSettings,
};

const sentenceCharactersMax = 500;

/** What arrived until then, so that a count of the same is a count of what is read. */
export async function readEverything(access: EngineAccess, untilMicros: number): Promise<Readable> {
  const query = `SELECT ${columns} FROM ${localTable} WHERE arrivedAt <= fromUnixTimestamp64Micro(${untilMicros}, 'UTC') FORMAT Native`;
  const sent = open(access, { ...readSettings, query }, { 'accept-encoding': 'zstd', 'content-length': 0 });
  sent.end();
  return await readAnswer(sent);
}

/** Resolves once everything is stored and synced. */
export async function writeEverything(access: EngineAccess, compressed: Readable): Promise<void> {
  const query = `INSERT INTO ${localTable} (${columns}) FORMAT Native`;
  const sent = open(access, { ...writeSettings, query }, { 'content-encoding': 'zstd' });
  const answered = readAnswer(sent);
  answered.catch(() => {}); // awaited below, once everything is sent or could not be
  await Promise.race([pipeline(compressed, sent), answered]);
  for await (const _ of await answered); // empty, when all is well
}

function open(
  access: EngineAccess,
  parameters: Readonly<Record<string, string | number>>,
  headers: http.OutgoingHttpHeaders,
): http.ClientRequest {
  const endpoint = access.endpoint();
  if (endpoint === null) throw unavailableError('it is not running');
  const url = new URL(endpoint.url);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, String(value));
  const options = { method: 'POST', headers: { ...endpoint.headers, ...headers, connection: 'close' } };
  return (url.protocol === 'https:' ? https : http).request(url, options);
}

async function readAnswer(sent: http.ClientRequest): Promise<http.IncomingMessage> {
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', cause => reject(unavailableError(cause.message, cause)));
  });
  if (response.statusCode === 200) return response;
  let text = '';
  for await (const chunk of response) if (text.length < sentenceCharactersMax) text += String(chunk);
  throw unavailableError(text.slice(0, sentenceCharactersMax));
}

function unavailableError(reason: string, cause?: unknown): ServiceError {
  return new ServiceError('engine_unavailable', `The log engine could not be read or written: ${reason}.`, {
    cause,
  });
}
