/**
 * Streams the log table from a ClickHouse into a file, and from a file into a ClickHouse, as compressed Native blocks,
 * without holding it in memory.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type http from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { newId } from '@tapedeck/values/random-ids';
import { LogStoreFailure } from '../../failures.ts';
import {
  awaitAnswer,
  type EngineError,
  findLateError,
  openRequest,
  readChunks,
  readWholeAnswer,
  unpackZstd,
} from '../../writer/engine/requests.ts';
import { Binder, bindMicros, queryRows } from '../../writer/engine/statements.ts';
import type { EngineAccess } from '../../writer/engine/supervision.ts';
import { indexSettings, localTable, storedColumns } from '../../writer/schema/schema.ts';

/** The stored columns; the engine computes all others from them. */
const columns =
  'project, dataset, timestamp, identity, retentionDays, level, resource, parentId, body, pattern, metadata, arrivedAt';

const readSettings = {
  max_threads: 2,
  enable_http_compression: 1,
  http_zlib_compression_level: 1,
  priority: 2,
};

/** Bounds the parts in memory at a time, for a month in one partition as well as for a thousand days in as many. */
const writeSettings = {
  async_insert: 0,
  max_partitions_per_insert_block: 0,
  max_insert_threads: 1,
  min_insert_block_size_rows: 200_000,
  min_insert_block_size_bytes: 64_000_000,
  insert_deduplicate: 0,
  ...indexSettings,
};

const lastWordsCharacters = 8_192; // of the end of an answer, where the engine writes its error
const sentenceCharactersMax = 500;

type Parameters = Readonly<Record<string, string | number>>;

/** Returns the latest time of arrival; 0 if there are no entries. */
export async function findLastArrival(access: EngineAccess): Promise<number> {
  const sql = `SELECT toUnixTimestamp64Micro(max(arrivedAt)) FROM ${localTable}`;
  const [row] = await queryRows(access, { sql });
  return Number(row?.[0]);
}

/** Selects everything that arrived until a time. */
function formatArrived(untilMicros: number): string {
  return `FROM ${localTable} WHERE arrivedAt <= fromUnixTimestamp64Micro(${untilMicros}, 'UTC')`;
}

export async function countEntries(access: EngineAccess, untilMicros: number): Promise<number> {
  const [row] = await queryRows(access, { sql: `SELECT count() ${formatArrived(untilMicros)}` });
  return Number(row?.[0]);
}

/** Writes everything that arrived until then into a new file, synced. Returns the file's SHA-256. */
export async function saveEntries(access: EngineAccess, untilMicros: number, file: string): Promise<string> {
  const query = `SELECT ${columns} ${formatArrived(untilMicros)} FORMAT Native`;
  const sent = openTransfer(access, { ...readSettings, query }, { 'accept-encoding': 'zstd' });
  sent.end();
  const response = await explain(() => awaitAnswer(sent));
  const hash = createHash('sha256');
  await using handle = await open(file, 'wx', 0o600); // only this user may read logs
  for await (const chunk of readSaved(response, file)) {
    hash.update(chunk);
    await handle.writeFile(chunk);
  }
  await handle.sync();
  return hash.digest('hex');
}

/** Counts the entries in a saved file. The engine reads all of it, and keeps nothing. */
export async function countBackedUp(access: EngineAccess, file: string): Promise<number> {
  const query = "INSERT INTO FUNCTION null('project LowCardinality(String)') FORMAT Native";
  const parameters = { ...writeSettings, input_format_skip_unknown_fields: 1, query };
  const { headers } = await send(access, parameters, createReadStream(file));
  // As ClickHouse documents it. The response to an insert comes when it has ended.
  const summary = JSON.parse(String(headers['x-clickhouse-summary'])) as { written_rows: string };
  return Number(summary.written_rows);
}

/** Copies entries from one engine to another, through this process. Resolves once all are stored and synced. */
export async function carryEntries(
  { from, to }: { from: EngineAccess; to: EngineAccess },
  where: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const query = `SELECT ${columns} FROM ${localTable} WHERE ${where} FORMAT Native`;
  const sent = openTransfer(from, { ...readSettings, query }, { 'accept-encoding': 'zstd' });
  sent.end();
  const response = await explain(() => awaitAnswer(sent));
  response.on('data', (chunk: Buffer) => onBytes(chunk.length));
  await writeEverything(to, response);
}

/** Selects which saved entries are restored; null means any. Times are those of the entries; `toMicros` is excluded. */
export type EntrySelection = {
  projects: readonly string[] | null;
  fromMicros: number | null;
  toMicros: number | null;
};

/** Resolves once all entries, or the selected ones, are stored. The table's settings decide whether they are synced. */
export async function writeEverything(
  access: EngineAccess,
  compressed: Readable,
  selection: EntrySelection | null = null,
): Promise<void> {
  const binder = new Binder();
  const source =
    selection === null ? '' : `SELECT ${columns} FROM input('${inputColumns}') ${select(selection, binder)}`;
  const bound = Object.entries(binder.parameters).map(([name, value]) => [`param_${name}`, value]);
  const parameters = {
    ...writeSettings,
    ...Object.fromEntries(bound),
    // A fresh token, because newer engines take equal blocks for a repeat, and entries that were there once may come back.
    insert_deduplication_token: newId(),
  };
  await send(
    access,
    { ...parameters, query: `INSERT INTO ${localTable} (${columns}) ${source} FORMAT Native` },
    compressed,
  );
}

/** Columns as in a saved file. */
const inputColumns = storedColumns
  .filter(declaration => !declaration.includes(' EPHEMERAL'))
  .map(declaration => declaration.replace(/ (DEFAULT|CODEC)\b.*$/, ''))
  .join(', ')
  .replaceAll("'", "\\'");

function select({ projects, fromMicros, toMicros }: EntrySelection, binder: Binder): string {
  const conditions = [
    ...(projects === null ? [] : [`project IN ${binder.bindWords(projects)}`]),
    ...(fromMicros === null ? [] : [`timestamp >= ${bindMicros(fromMicros, binder)}`]),
    ...(toMicros === null ? [] : [`timestamp < ${bindMicros(toMicros, binder)}`]),
  ];
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}

async function* readSaved(response: http.IncomingMessage, file: string): AsyncGenerator<Buffer> {
  try {
    yield* readChunks<Buffer>(response);
  } catch (cause) {
    throw unavailableError((await findLastWords(file)) ?? cause);
  }
}

/** Reads the error that the engine wrote after the entries when it failed midway. */
async function findLastWords(file: string): Promise<EngineError | null> {
  let end = '';
  try {
    const plain = unpackZstd(createReadStream(file));
    for await (const chunk of plain) end = (end + chunk.toString('latin1')).slice(-lastWordsCharacters);
  } catch {
    // The file ends where the connection was cut.
  }
  return findLateError(end);
}

/** Sends the body and reads the answer, which is empty when all is well. */
async function send(
  access: EngineAccess,
  parameters: Parameters,
  body: Readable,
): Promise<http.IncomingMessage> {
  const sent = openTransfer(access, parameters, { 'content-encoding': 'zstd' });
  return explain(async () => {
    const answered = awaitAnswer(sent);
    answered.catch(() => {}); // awaited below, once everything is sent or could not be
    await Promise.race([pipeline(body, sent), answered]);
    const answer = await answered;
    await readWholeAnswer(answer);
    return answer;
  });
}

function openTransfer(
  access: EngineAccess,
  parameters: Parameters,
  headers: http.OutgoingHttpHeaders,
): http.ClientRequest {
  const endpoint = access.endpoint();
  if (endpoint === null) throw unavailableError(new Error('it is not running'));
  return openRequest(endpoint, { parameters, headers });
}

async function explain<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw unavailableError(cause);
  }
}

function unavailableError(cause: unknown): LogStoreFailure {
  const reason = (cause instanceof Error ? cause.message : 'the connection failed').slice(
    0,
    sentenceCharactersMax,
  );
  return new LogStoreFailure(
    'engine_unavailable',
    `The log engine could not be read or written: ${reason}.`,
    {
      cause,
    },
  );
}
