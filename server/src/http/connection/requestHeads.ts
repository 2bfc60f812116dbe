/**
 * Handles the head of every request before its route does: respells its URL and method, sets its id and response headers, and refuses heads that
 * proxies could read differently.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import type { AccessDirectory } from '@tapedeck/domain/identity/access';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import type { Connections } from '@tapedeck/fast-http';
import { limitBodyIdle } from '@tapedeck/request-bodies';
import { chooseMethod } from '@tapedeck/resumable-uploads';
import { chooseRequestId } from '@tapedeck/values/random-ids';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { watchBodyAccess } from '../authentication.ts';
import { refuseLate } from '../failures.ts';
import type { QueryParameters } from '../queryParameters.ts';
import { headersAt, isResumable, jsonType } from '../responseHeaders.ts';
import { type findRivals, isShadowed } from '../unknownRoutes.ts';

/** The content type that Fastify sets for JSON. */
const fastifyJsonType = 'application/json; charset=utf-8';

/** Respells the request's URL for the router. Sets the method that an upload overrides. */
export function openRewriting(access: Pick<AccessDirectory, 'rewritePath'>) {
  return (raw: IncomingMessage): string => {
    const url = removeExtraSlashes(access.rewritePath(raw.url ?? '/', raw.headers.host));
    if (raw.method === 'POST' && raw.headers['x-http-method-override'] !== undefined && isResumable(url))
      raw.method = chooseMethod('POST', raw.headers);
    return raw.method === 'POST' ? encodeFileKey(url) : redirectElasticsearchRoot(url, raw.headers);
  };
}

/** Parses the query string, once for the router, the checks and the handler. */
export function parseParameters(text: string): QueryParameters {
  return text === '' ? {} : parse(text, '&', '=', { maxKeys: keysMax });
}

const keysMax = 0; // no limit here: `headersBytesMax` bounds the URL

export function nameRequest({ headers }: IncomingMessage): string {
  return chooseRequestId(headers['x-request-id']);
}

type HeadDeps = {
  connections: Pick<Connections, 'closesAfter'>;
  bodyIdleMsMax: number;
  /** Other routes that a request may mean, by the path of the route that the router found. */
  rivals: ReturnType<typeof findRivals>;
  respondUnknown(request: FastifyRequest, reply: FastifyReply): void;
};

/** Answers requests that no route takes before their body is read. */
export function handleHeads(
  app: FastifyInstance,
  { connections, bodyIdleMsMax, rivals, respondUnknown }: HeadDeps,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    const { url, config } = request.routeOptions;
    reply.headers(config.headers ?? headersAt(url ?? request.url));
    if (mayHaveBody(request)) setImmediate(watchSlowBody, request, reply, bodyIdleMsMax);
    requireSoundHead(request, reply);
    const nearer = rivals.get(config.route?.path ?? '');
    if (request.is404 || (nearer && isShadowed(request, nearer))) respondUnknown(request, reply);
    else done();
  });
  app.addHook('onSend', ({ raw }, reply, _payload, done) => {
    if (reply.getHeader('content-type') === fastifyJsonType) reply.type(jsonType);
    if (connections.closesAfter(raw.socket)) reply.raw.shouldKeepAlive = false; // Node.js announces this in a header
    done();
  });
}

/** Most requests that only read have no body to watch. */
function mayHaveBody({ headers }: FastifyRequest): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Ends the request if the rest of its body stalls, or its sender loses access. Most bodies are complete by now. */
function watchSlowBody(request: FastifyRequest, reply: FastifyReply, idleMsMax: number): void {
  const { raw } = request;
  if (raw.complete || raw.destroyed) return;
  limitBodyIdle(raw, idleMsMax, failure => refuseLate(reply, failure));
  if (request.routeOptions.config.route?.stream)
    watchBodyAccess(request, failure => refuseLate(reply, failure));
}

function requireSoundHead({ raw }: FastifyRequest, reply: FastifyReply): void {
  const failure = findInvalidHead(raw);
  if (failure === null) return;
  reply.header('connection', 'close');
  throw failure;
}

/** Returns null if the head is sound. */
function findInvalidHead(raw: IncomingMessage): ServiceError | null {
  if (raw.httpVersion === '1.1' && !namesOneHost(raw))
    return new ServiceError('bad_request', 'The request must have exactly one Host header.');
  if (!comesInChunksAlone(raw)) {
    const sentence = 'Send the body with no other Transfer-Encoding than chunked.';
    return new ServiceError('transfer_coding_unsupported', sentence);
  }
  return null;
}

/**
 * RFC 9112, 3.2: a request of HTTP/1.1 names exactly one host. Reads the raw headers, because Node.js builds its distinct ones anew for each
 * request.
 */
function namesOneHost({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1;
}

/**
 * RFC 9112, 6.1: a body comes either in chunks or as it is. Node.js's parser refuses transfer codings that do not end with chunks, because the
 * length would be unknown. It ignores all others, so they are refused here: nothing decodes them.
 */
function comesInChunksAlone({ headers }: IncomingMessage): boolean {
  const codings = headers['transfer-encoding']?.split(',').filter(coding => coding.trim() !== '') ?? [];
  return codings.length <= 1;
}

/** Base URLs that end in a slash produce double slashes, and some libraries end every path with one. */
function removeExtraSlashes(url: string): string {
  if (!url.includes('//') && !url.includes('/?') && !url.endsWith('/')) return url;
  const [path = ''] = url.split('?', 1);
  if (!/^\/+api\//.test(path)) return url;
  return path.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '') + url.slice(path.length);
}

/** Slashes in a file's key may come unencoded before an action. */
function encodeFileKey(url: string): string {
  return url.replace(fileActionPattern, (_, start: string, key: string, end: string) =>
    [start, key.replaceAll('/', '%2F'), end].join('/'),
  );
}

const fileActionPattern =
  /^(\/api\/(?:v3\/file|manage\/projects\/[^/]+\/files))\/([^?]*)\/((?:restore|link)(?:\?.*)?)$/;

/** Elasticsearch clients look for a cluster at the root, where the dashboard is. */
function redirectElasticsearchRoot(
  url: string,
  { accept = '', 'user-agent': agent = '' }: IncomingHttpHeaders,
): string {
  if (url !== '/' && !url.startsWith('/?')) return url;
  const isClient =
    /elastic|opensearch|logstash|beat\//i.test(agent) || accept.includes('application/vnd.elasticsearch');
  return isClient && !accept.includes('text/html') ? `/elasticsearch${url}` : url;
}

/** Returns the type in lower case, without parameters; `''` if none is declared. */
export function readContentType(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

/** The header that names the dataset. Clients may write their service's brand for the middle word. */
const datasetHeader = 'x-service-dataset';
const datasetHeaderSpelling = /^x-[a-z0-9_-]+-dataset$/;

export function readDatasetHeader(headers: IncomingHttpHeaders): string | undefined {
  const canonical = headers[datasetHeader];
  if (canonical !== undefined) return String(canonical);
  for (const name in headers) {
    if (name.endsWith('-dataset') && datasetHeaderSpelling.test(name)) return String(headers[name]);
  }
  return undefined;
}
