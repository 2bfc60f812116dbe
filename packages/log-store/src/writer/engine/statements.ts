/** Composes statements whose values the engine binds, sends them to ClickHouse over HTTP, and reads rows back as they come. */
import type { IncomingMessage } from 'node:http';
import { takeTurns } from '@tapedeck/concurrency/turns';
import { describeOutage, LogStoreFailure } from '../../failures.ts';
import { briefRowCharactersMax, parseLongRow } from './longRowParsing.ts';
import { awaitAnswer, createAgents, EngineError, openRequest, readChunks } from './requests.ts';
import type { EngineAccess } from './supervision.ts';

/** Values by name. The statement names their place and type: `{name:String}`. */
export type Parameters = Readonly<Record<string, string>>;

export type Statement = {
  sql: string;
  parameters?: Parameters;
  settings?: Readonly<Record<string, string | number>>;
  signal?: AbortSignal | undefined;
};

export type Row = readonly unknown[];

const lateErrorCharactersMax = 4_096;
const commandTimeMsMax = 600_000; // deletions from very large tables; queries have a shorter limit
const idleTimeMsMax = 8_000; // below the engine's own limit

/** Keeps connections for the next statement. */
const agents = createAgents(idleTimeMsMax);

/** Without this, a stopping engine waits five seconds for idle connections. */
export function closeIdleConnections(): void {
  for (const { freeSockets } of Object.values(agents)) {
    for (const sockets of Object.values(freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }
}

/** Runs a statement that changes something; resolves when it is done. Aborting the signal only ends the wait. */
export async function runCommand(
  access: EngineAccess,
  sql: string,
  { signal, ...more }: Pick<Statement, 'parameters' | 'signal'> = {},
): Promise<void> {
  const deadline = AbortSignal.timeout(commandTimeMsMax);
  const response = await send(access, {
    sql,
    ...more,
    signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
  });
  for await (const _ of readRows(response, parseRow)); // an error may come late
}

/** A reader returns it to end its statement. It is then the last row of the answer. */
export const endOfReading: Row = [];

export async function queryRows(
  access: EngineAccess,
  statement: Statement,
  read: (line: string) => Row | Promise<Row> = parseRow,
): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of stream(access, statement, read)) {
    for (const row of batch) {
      rows.push(row);
      if (row === endOfReading) return rows;
    }
  }
  return rows;
}

/** Yields rows in batches, as they arrive. Leaving early or aborting the signal ends the query in the engine. */
export function streamRows(access: EngineAccess, statement: Statement): AsyncGenerator<Row[]> {
  return stream(access, statement, parseRow);
}

/** Yields each row as the JSON of an array, as the engine wrote it, for callers that pass rows on. */
export function streamTexts(access: EngineAccess, statement: Statement): AsyncGenerator<string[]> {
  return stream(access, statement, line => line);
}

export function parseRow(line: string): Row | Promise<Row> {
  // The format is one array per line.
  return line.length > briefRowCharactersMax
    ? (parseLongRow(line) as Promise<Row>)
    : (JSON.parse(line) as Row);
}

async function* stream<Item>(
  access: EngineAccess,
  statement: Statement,
  read: (line: string) => Item | Promise<Item>,
): AsyncGenerator<Item[]> {
  const response = await send(access, {
    ...statement,
    sql: `${statement.sql} FORMAT JSONCompactEachRow`,
    settings: {
      readonly: 2, // allows only reads, and settings
      cancel_http_readonly_queries_on_client_close: 1,
      output_format_json_quote_64bit_integers: 0, // none of our numbers is beyond 2^53
      output_format_parallel_formatting: 0, // threads and their buffers cost more than they save when rows are few
      ...statement.settings,
    },
  });
  try {
    yield* readRows(response, read);
  } catch (cause) {
    throw statement.signal?.aborted ? statement.signal.reason : cause;
  } finally {
    if (!response.complete) response.destroy();
  }
}

async function send(access: EngineAccess, statement: Statement): Promise<IncomingMessage> {
  const { sql, settings, parameters = {}, signal } = statement;
  const endpoint = access.endpoint();
  if (endpoint === null) throw describeOutage();
  signal?.throwIfAborted();
  const bound = Object.entries(parameters).map(([name, value]) => [`param_${name}`, escapeParameter(value)]);
  const request = openRequest(endpoint, {
    parameters: { ...settings, ...Object.fromEntries(bound) },
    headers: { 'content-length': Buffer.byteLength(sql) },
    agents,
    ...(signal && { signal }),
  });
  try {
    request.end(sql);
    return await awaitAnswer(request);
  } catch (cause) {
    throw signal?.aborted ? signal.reason : describeFailure(cause);
  }
}

/** The engine reads values as tab-separated text: a backslash needs escaping, and so do characters that end a field. */
function escapeParameter(value: string): string {
  return value
    .replaceAll('\\', '\\\\')
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\0', '\\0');
}

async function* readRows<Item>(
  response: IncomingMessage,
  read: (line: string) => Item | Promise<Item>,
): AsyncGenerator<Item[]> {
  response.setEncoding('utf8');
  const chunks = readChunks<string>(response);
  const takeTurn = takeTurns(16);
  let rest = '';
  try {
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      const end = next.value.lastIndexOf('\n');
      const lines = end < 0 ? [] : (rest + next.value.slice(0, end)).split('\n');
      rest = end < 0 ? rest + next.value : next.value.slice(end + 1);
      // A line that is not a row starts the message of an error that came after the first rows.
      const errorAt = lines.findIndex(line => !line.startsWith('['));
      if (errorAt >= 0) throw await readLateError(chunks, [...lines.slice(errorAt), rest].join('\n'));
      if (lines.length > 0) yield await readLines(lines, read, takeTurn);
    }
    if (rest !== '') throw new EngineError(rest);
  } catch (cause) {
    throw describeFailure(cause);
  } finally {
    await chunks.return(undefined);
  }
}

async function readLines<Item>(
  lines: readonly string[],
  read: (line: string) => Item | Promise<Item>,
  takeTurn: () => Promise<void> | null,
): Promise<Item[]> {
  const items: Item[] = [];
  for (const line of lines) {
    const item = read(line);
    items.push(item instanceof Promise ? await item : item);
    const turn = takeTurn();
    if (turn !== null) await turn;
  }
  return items;
}

/** The engine cuts the connection after its message, so even a part of the message counts. */
async function readLateError(chunks: AsyncIterator<string>, start: string): Promise<EngineError> {
  let text = start;
  try {
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      if (text.length < lateErrorCharactersMax) text += next.value;
    }
  } catch {
    // the connection was cut
  }
  return new EngineError(text);
}

/** ClickHouse's error codes that decide the answer. */
const engineCodes = {
  outOfTime: [159, 160],
  outOfMemory: [202, 241, 439],
  // Bytes on the disk that differ from those written, and missing files.
  damaged: [33, 40, 107, 226, 228, 246, 271],
  // An unreachable shard, a cut connection, an engine that is stopping, or one without the tables.
  unavailable: [32, 60, 81, 198, 209, 210, 236, 279, 394, 425, 499],
};

/** The engine writes a little while it reads, and a full disk has no room for that either. */
const diskFullPattern = /NOT_ENOUGH_SPACE|No space left on device/;

/** Returns the error that callers see. A remaining `EngineError` is a bug, or comes from a server that is too old. */
function describeFailure(cause: unknown): unknown {
  if (!(cause instanceof EngineError)) return describeOutage(cause);
  const { engineCode, message } = cause;
  if (engineCodes.outOfTime.includes(engineCode)) return describeTimeout(cause);
  if (engineCodes.outOfMemory.includes(engineCode)) {
    return new LogStoreFailure(
      'overloaded',
      'The log engine does not have enough memory for this query right now. Narrow it down, or try again later.',
      { cause, retryAfterSeconds: 5 },
    );
  }
  if (engineCodes.damaged.includes(engineCode)) return describeDamage(cause);
  const isAway = engineCodes.unavailable.includes(engineCode) || diskFullPattern.test(message);
  return isAway ? describeOutage(cause) : cause;
}

/** Returns the part that the engine could not read; null if the error names none. */
export function findDamagedPart(error: unknown): string | null {
  if (!(error instanceof LogStoreFailure) || !(error.cause instanceof EngineError)) return null;
  const { engineCode, message } = error.cause;
  if (!engineCodes.damaged.includes(engineCode)) return null;
  return /(?<![\w-])\d+-\d+_\d+_\d+_\d+(?:_\d+)?(?![\w-])/.exec(message)?.[0] ?? null;
}

function describeDamage(cause: EngineError): LogStoreFailure {
  return new LogStoreFailure(
    'engine_unavailable',
    'The log engine cannot read part of its data: bytes on its disk are damaged or missing. `tapedeck verify` names the part; ' +
      'restore it from a backup of the disk. Queries for other times still work.',
    { cause, retryAfterSeconds: damageRetrySeconds },
  );
}

const damageRetrySeconds = 60; // an operator must act

export function describeTimeout(cause?: unknown): LogStoreFailure {
  return new LogStoreFailure(
    'query_timeout',
    'The query would take longer than 30 seconds. Narrow it down, preferably by time.',
    { cause },
  );
}

/** Collects the values of a statement; `bind` returns the placeholder of the value in the text. */
export class Binder {
  readonly #values: Record<string, string> = {};
  /** Placeholders by type and value: a value that a statement uses several times is sent once. */
  readonly #placeholders = new Map<string, string>();

  get parameters(): Parameters {
    return this.#values;
  }

  get count(): number {
    return this.#placeholders.size;
  }

  bind(type: string, value: string | number): string {
    const key = `${type} ${value}`;
    const known = this.#placeholders.get(key);
    if (known !== undefined) return known;
    const name = `p${this.count}`;
    this.#values[name] = String(value);
    const placeholder = `{${name}:${type}}`;
    this.#placeholders.set(key, placeholder);
    return placeholder;
  }

  /** Only for words without quotes and backslashes: levels, slugs of projects, and names of datasets and parts. */
  bindWords(words: readonly string[]): string {
    return this.bind('Array(String)', `[${words.map(word => `'${word}'`).join(',')}]`);
  }

  /** The engine unescapes a value once more, so quotes are doubled; the rest is escaped like all values. */
  bindTexts(texts: readonly string[]): string {
    return this.bindWords(texts.map(text => text.replaceAll("'", "''")));
  }

  /** Exact to the last bit, even if an engine parses written numbers differently. */
  bindDouble(number: number): string {
    const [bits = 0n] = new BigUint64Array(new Float64Array([number]).buffer);
    return `reinterpretAsFloat64(${this.bind('UInt64', bits.toString())})`;
  }
}

// DateTime64 reaches further, but no entry is older than 1970 or later than a day ahead.
export const microsMin = 0;
const microsMax = Number.MAX_SAFE_INTEGER;

export function bindMicros(micros: number, binder: Binder): string {
  const within = Math.min(Math.max(micros, microsMin), microsMax);
  return `fromUnixTimestamp64Micro(${binder.bind('Int64', within)}, 'UTC')`;
}
