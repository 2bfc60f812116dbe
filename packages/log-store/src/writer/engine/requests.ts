/**
 * The basics of all ClickHouse clients: sending a request and recognising a failure. A statement may fail after the
 * engine has answered 200 and sent rows. Then the engine writes its error after those rows and cuts the connection;
 * older versions end such a response as if it were complete.
 */
import http from 'node:http';
import https from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';

/** The address of a ClickHouse, and the headers it requires. */
export type Endpoint = { url: string; headers: Readonly<Record<string, string>> };

type EngineRequest = {
  /** Settings, values of the statement, and the statement itself unless it is the body. */
  parameters: Readonly<Record<string, string | number>>;
  headers?: http.OutgoingHttpHeaders;
  /** Keeps connections between requests; without agents, each request opens a new connection. */
  agents?: Agents;
  signal?: AbortSignal;
};

/** Keep-alive agents for both protocols. */
export type Agents = { http: http.Agent; https: https.Agent };

/** The engine reported that a statement failed. */
export class EngineError extends Error {
  /** ClickHouse's error code; 0 if it gave none. */
  readonly engineCode: number;

  constructor(text: string, options?: ErrorOptions) {
    super(text.trim().slice(0, errorCharactersMax) || 'The log engine failed without a message.', options);
    this.name = 'EngineError';
    this.engineCode = Number(/Code: (\d+)/.exec(text)?.[1] ?? 0);
  }
}

const errorCharactersMax = 4_096;
const lateErrorPattern = /__exception__|Code: \d+\. DB::Exception/;

/** `idleTimeMsMax` must be below the engine's own limit, so that nothing is sent on a connection that the engine closes. */
export function createAgents(idleTimeMsMax: number): Agents {
  const options = { keepAlive: true, timeout: idleTimeMsMax, scheduling: 'lifo' } as const;
  return { http: new http.Agent(options), https: new https.Agent(options) };
}

/** Opens a request. The caller sends the body and ends it. */
export function openRequest(endpoint: Endpoint, request: EngineRequest): http.ClientRequest {
  const { parameters, headers, agents, signal } = request;
  const url = new URL(endpoint.url);
  // Sets the search once, because each `searchParams.set` would write the whole URL again.
  const search = new URLSearchParams(url.search);
  for (const [name, value] of Object.entries(parameters)) search.set(name, String(value));
  url.search = search.toString();
  const isSecure = url.protocol === 'https:';
  const options: http.RequestOptions = {
    method: 'POST',
    headers: { ...endpoint.headers, ...headers },
    agent: agents === undefined ? false : isSecure ? agents.https : agents.http,
    ...(signal && { signal }),
  };
  return (isSecure ? https : http).request(url, options);
}

/** Rejects with an `EngineError` when the engine refuses, and with Node's error when the connection fails. */
export async function awaitAnswer(sent: http.ClientRequest): Promise<http.IncomingMessage> {
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
  if (response.statusCode === 200 && !('x-clickhouse-exception-code' in response.headers)) return response;
  const isCompressed = response.headers['content-encoding'] === 'zstd';
  const text = await readStart(isCompressed ? unpackZstd(response) : response);
  throw new EngineError(text || `status ${response.statusCode}`);
}

/** Returns the decompressed bytes. Reading them fails if the stream fails or is cut off. */
export function unpackZstd(stream: Readable): Readable {
  return pipeline(stream, createZstdDecompress(), () => {}); // the reader gets the error
}

/** Yields everything that arrived. If the answer was cut off, its end, which says why, may still be in Node's buffer. */
export async function* readChunks<Chunk extends string | Buffer>(stream: Readable): AsyncGenerator<Chunk> {
  try {
    yield* stream as AsyncIterable<Chunk>; // text when an encoding was set, else bytes
  } catch (cause) {
    // Text or bytes, as above.
    for (let left = stream.read() as Chunk | null; left !== null; left = stream.read() as Chunk | null)
      yield left;
    throw cause;
  }
}

/** Reads a short answer that contains no rows of users. */
export async function readWholeAnswer(response: http.IncomingMessage): Promise<string> {
  const text = await readStart(response);
  const error = findLateError(text);
  if (error !== null) throw error;
  return text;
}

/** Finds the error that the engine wrote at the end of the text; null if there is none. */
export function findLateError(text: string): EngineError | null {
  const at = text.search(lateErrorPattern);
  return at < 0 ? null : new EngineError(text.slice(at).replace(/^__exception__\s+\w+\s+/, ''));
}

/** Reads all of the text and returns its beginning. */
async function readStart(stream: Readable): Promise<string> {
  stream.setEncoding('utf8');
  let text = '';
  for await (const chunk of readChunks<string>(stream)) {
    if (text.length < errorCharactersMax) text += chunk;
  }
  return text.slice(0, errorCharactersMax);
}
