/** Sends statements to ClickHouse over HTTP, with their values bound by the engine, and reads rows back as they come. */
import http from 'node:http';
import https from 'node:https';
import { ServiceError } from '../../../vocabulary.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { describeOutage } from '../outage.ts';

/** Values by name; the statement says where and as which type: `{name:String}`. */
export type Parameters = Readonly<Record<string, string>>;

export type Statement = {
  sql: string;
  parameters?: Parameters;
  settings?: Readonly<Record<string, string | number>>;
  signal?: AbortSignal;
};

export type Row = readonly unknown[];

const errorCharactersMax = 4_096;
const commandTimeMsMax = 600_000; // deleting from very large tables; reading has its own, shorter limit
// Below the engine's own limit for idle connections, so that nothing is sent into one that is being closed.
const agentOptions = { keepAlive: true, timeout: 8_000, scheduling: 'lifo' } as const;

/** Connections are kept for the next statement. */
const agents = { http: new http.Agent(agentOptions), https: new https.Agent(agentOptions) };

/** An engine that is told to stop waits for idle connections, five seconds long. */
export function closeIdleConnections(): void {
  for (const { freeSockets } of Object.values(agents)) {
    for (const sockets of Object.values(freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }
}

/** Runs a statement that changes something; resolves when it is done. An aborted signal waits no longer for that. */
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
  for await (const _ of readRows(response)); // an error may come late
}

export async function queryRows(access: EngineAccess, statement: Statement): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of streamRows(access, statement)) for (const row of batch) rows.push(row);
  return rows;
}

/** Batches as the network brings them. Leaving early, and an aborted signal, end the query in the engine. */
export async function* streamRows(access: EngineAccess, statement: Statement): AsyncGenerator<Row[]> {
  const response = await send(access, {
    ...statement,
    sql: `${statement.sql} FORMAT JSONCompactEachRow`,
    settings: {
      readonly: 2, // nothing but reading, and settings
      cancel_http_readonly_queries_on_client_close: 1,
      output_format_json_quote_64bit_integers: 0, // none of ours is beyond 2^53
      ...statement.settings,
    },
  });
  try {
    yield* readRows(response);
  } catch (cause) {
    throw statement.signal?.aborted ? statement.signal.reason : cause;
  } finally {
    if (!response.complete) response.destroy();
  }
}

async function send(access: EngineAccess, statement: Statement): Promise<http.IncomingMessage> {
  const endpoint = access.endpoint();
  if (endpoint === null) throw describeOutage();
  statement.signal?.throwIfAborted();
  const url = new URL(endpoint.url);
  for (const [name, value] of Object.entries(statement.settings ?? {}))
    url.searchParams.set(name, String(value));
  for (const [name, value] of Object.entries(statement.parameters ?? {})) {
    url.searchParams.set(`param_${name}`, escapeParameter(value));
  }
  const isSecure = url.protocol === 'https:';
  const options: http.RequestOptions = {
    method: 'POST',
    headers: { ...endpoint.headers, 'content-length': Buffer.byteLength(statement.sql) },
    agent: isSecure ? agents.https : agents.http,
    ...(statement.signal && { signal: statement.signal }),
  };
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = (isSecure ? https : http).request(url, options, resolve);
    request.once('error', cause => {
      reject(statement.signal?.aborted ? statement.signal.reason : describeOutage(cause));
    });
    request.end(statement.sql);
  });
  if (response.statusCode === 200) return response;
  throw describeFailure(await readText(response));
}

/** Values are read as tab-separated text is: a backslash and what would end the field need escaping. */
function escapeParameter(value: string): string {
  return value
    .replaceAll('\\', '\\\\')
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\0', '\\0');
}

async function* readRows(response: http.IncomingMessage): AsyncGenerator<Row[]> {
  response.setEncoding('utf8');
  let rest = '';
  try {
    // Text since its encoding was set.
    for await (const chunk of response as AsyncIterable<string>) {
      const end = chunk.lastIndexOf('\n');
      if (end < 0) {
        rest += chunk;
        continue;
      }
      const lines = (rest + chunk.slice(0, end)).split('\n');
      rest = chunk.slice(end + 1);
      yield parseLines(lines, rest);
    }
  } catch (cause) {
    throw cause instanceof ServiceError || cause instanceof EngineError ? cause : describeOutage(cause);
  }
  if (rest !== '') throw describeFailure(rest);
}

/** A line that is no row begins the message of an error that came after the first rows. */
function parseLines(lines: string[], rest: string): Row[] {
  const rows: Row[] = [];
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith('[')) throw describeFailure([...lines.slice(index), rest].join('\n'));
    rows.push(JSON.parse(line) as Row); // the format is one array a line
  }
  return rows;
}

async function readText(response: http.IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  try {
    // Text since its encoding was set.
    for await (const chunk of response as AsyncIterable<string>) {
      if (text.length < errorCharactersMax) text += chunk;
    }
  } catch (cause) {
    throw describeOutage(cause);
  }
  return text.slice(0, errorCharactersMax);
}

/** The engine refused a statement that should have been right: a bug, or a server that is too old. */
export class EngineError extends Error {
  readonly engineCode: number;

  constructor(engineCode: number, message: string) {
    super(message);
    this.name = 'EngineError';
    this.engineCode = engineCode;
  }
}

/** ClickHouse's own error codes, as far as they say what to answer. */
const engineCodes = {
  outOfTime: [159, 160],
  outOfMemory: [202, 241, 439],
  // A shard that cannot be reached or cut the connection, an engine that is stopping.
  unavailable: [198, 209, 210, 236, 279, 394, 425, 499],
};

/** What the engine writes while it reads is little, but a full disk has no room for that either. */
const diskFullPattern = /NOT_ENOUGH_SPACE|No space left on device/;

function describeFailure(text: string): Error {
  const code = Number(/Code: (\d+)/.exec(text)?.[1] ?? 0);
  const cause = new EngineError(code, text.trim().slice(0, errorCharactersMax));
  if (engineCodes.outOfTime.includes(code)) return describeTimeout(cause);
  if (engineCodes.outOfMemory.includes(code)) {
    return new ServiceError(
      'overloaded',
      'The log engine has no room for this query now. Narrow it down, or try again later.',
      { cause, retryAfterSeconds: 5 },
    );
  }
  if (engineCodes.unavailable.includes(code) || diskFullPattern.test(text)) return describeOutage(cause);
  return cause;
}

export function describeTimeout(cause?: unknown): ServiceError {
  return new ServiceError(
    'query_timeout',
    'The query would take longer than 30 seconds. Narrow it down, by time above all.',
    { cause },
  );
}
