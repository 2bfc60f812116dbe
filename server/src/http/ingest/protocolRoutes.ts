/** Serves the routes of other programs' protocols. Each protocol defines how to read, answer and refuse a request. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type MessageFileDeps, openMessageFiles, type SentFile } from '@tapedeck/domain/files/messageFiles';
import type { TokenPrincipal } from '@tapedeck/domain/identity/principals';
import { usualDataset } from '@tapedeck/domain/logs/datasetRules';
import { limits } from '@tapedeck/domain/vocabulary';
import type {
  BodyPieces,
  OtherProtocol,
  Protocol,
  ProtocolAnswer,
  ProtocolRequest,
} from '@tapedeck/log-protocols';
import { type DecodedBody, peekBody, readPieces, requireKnownEncoding } from '@tapedeck/request-bodies';
import type { JsonObject } from '@tapedeck/values/json';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ingestSent, type SentDeps } from '../../intake/protocol/ingest.ts';
import { confirmAccess, shareKeyOf } from '../authentication.ts';
import { readDatasetHeader } from '../connection/requestHeads.ts';
import { readBody, readEncodedBody, readIdempotencyKey } from '../logs/logRequests.ts';
import { type Call, type FormatFailure, type HandledRoute, handle } from '../routing.ts';
import { type DescribedEntries, type DescribedQuestion, entryRoutes, questionRoutes } from './contract.ts';
import { readWithFiles } from './requestFiles.ts';

export type ProtocolDeps = SentDeps & MessageFileDeps & { version: string };

export function handleProtocols(deps: ProtocolDeps): HandledRoute[] {
  return [
    ...entryRoutes.map(described => handleEntries(deps, described)),
    ...questionRoutes.map(described => handleQuestion(deps, described)),
  ];
}

/** Requests that turned out to use another protocol than their route's. */
const others = new WeakMap<FastifyRequest, Protocol>();

function handleEntries(deps: ProtocolDeps, { protocol, described, route }: DescribedEntries): HandledRoute {
  const handled = handle(route, async call => {
    const request = describeRequest(call.request, route.path);
    const pieces = described.openPieces?.(limits.logBatchBytesMax);
    if (pieces !== undefined)
      return send(
        call.reply,
        await ingestPieces(deps, call, { protocol, route: described, request, pieces }),
      );
    const separator = described.openSeparator?.();
    if (separator !== undefined) {
      const keepsFiles = call.caller.tokenKind === 'webhook';
      const startedAt = performance.now();
      await using sent = await readWithFiles(deps, call.request, { separator, keepsFiles });
      if (sent.files.length > 0) await confirmAccess(call.request, startedAt);
      const body = sent.rest.bytes;
      const meant = { protocol, route: described, request, body, files: sent.files };
      return send(call.reply, await takeEntries(deps, call, meant));
    }
    using body: DecodedBody = await readEncodedBody(call.request, described.bodyEncoding(request));
    const other = described.findOther(request, body.bytes);
    if (other !== null) others.set(call.request, other.protocol);
    const meant: OtherProtocol = other ?? { protocol, route: described };
    return send(call.reply, await takeEntries(deps, call, { ...meant, request, body: body.bytes }));
  });
  const { findBodyToken } = described;
  const readBodyToken = findBodyToken && (({ raw }: FastifyRequest) => peekBody(raw, findBodyToken));
  return withRefusal({ ...handled, ...(readBodyToken && { readBodyToken }) }, protocol);
}

/** `files`: separated from the body. `pieceKey`: the key of one piece of a body. */
type Meant = OtherProtocol & {
  request: ProtocolRequest;
  body: Buffer;
  files?: readonly SentFile[];
  pieceKey?: string | null;
};

type Cut = Omit<Meant, 'body' | 'files'> & { pieces: BodyPieces };

/**
 * Stores piece by piece, and answers once all are stored. If one is refused, the client resends everything: stored pieces stay, and the key of
 * each piece identifies the repeat.
 */
async function ingestPieces(
  deps: ProtocolDeps,
  call: Call<DescribedEntries['route']>,
  { pieces, ...meant }: Cut,
): Promise<ProtocolAnswer> {
  const contentEncoding = call.request.headers['content-encoding'];
  requireKnownEncoding(contentEncoding);
  // On a route that declares `stream`, the body is the readable request, or absent.
  const stream = (call.request.body as Readable | null | undefined) ?? Readable.from([]);
  const options = { contentEncoding, cutter: pieces, holder: shareKeyOf(call.request) };
  let answer: ProtocolAnswer | null = null;
  for await (const { bytes, isComplete } of readPieces(stream, options))
    answer = await takeEntries(deps, call, {
      ...meant,
      body: bytes,
      pieceKey: isComplete ? null : hash(bytes),
    });
  if (answer === null) throw new Error('a body without bytes is a piece, too');
  return answer;
}

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url');
}

/** Resolves once the entries are stored. */
async function takeEntries(
  deps: ProtocolDeps,
  { request: { query, headers, routeOptions }, caller }: Call<DescribedEntries['route']>,
  { protocol, route, request, body, files: sentFiles = [], pieceKey = null }: Meant,
): Promise<ProtocolAnswer> {
  const startedAt = performance.now();
  const dataset =
    readDataset({ query, headers }) ??
    (route.usesDatasetOfToken ? findOnlyDataset(caller) : null) ??
    usualDataset;
  const sent = {
    project: caller.project.slug,
    dataset,
    body,
    idempotencyKey:
      pieceKey === null
        ? readIdempotencyKey({ headers }, caller, String(routeOptions.url))
        : { tokenId: caller.id, route: String(routeOptions.url), key: pieceKey },
    datasets: caller.scopes.datasets,
    files:
      sentFiles.length === 0
        ? null
        : openMessageFiles(deps, { caller, usualFolder: route.filesFolder }, sentFiles),
  };
  const describe = (described: readonly JsonObject[]) => route.readOptions(request, described);
  const shown = await ingestSent(deps, sent, { protocol: protocol.name, describe });
  return route.answer({ request, shown, dataset, elapsedMs: performance.now() - startedAt });
}

/** Returns the only dataset that the token may use; null: several, or any. */
function findOnlyDataset({ scopes: { datasets } }: TokenPrincipal): string | null {
  const [only, ...others] = datasets ?? [];
  return only !== undefined && others.length === 0 ? only : null;
}

/** The dataset for entries that name none; null: the request names none either. The token's access is checked later. */
function readDataset({ query, headers }: Pick<FastifyRequest, 'query' | 'headers'>): string | null {
  const { dataset } = query as { dataset?: unknown }; // text, or a list of texts
  const tenant = headers['x-scope-orgid']; // Loki's
  const named = dataset || readDatasetHeader(headers) || tenant;
  return named ? String(named) : null;
}

function handleQuestion(deps: ProtocolDeps, { protocol, described, route }: DescribedQuestion): HandledRoute {
  const handled = handle(route, async ({ request, reply }) => {
    using body = route.stream ? await readBody(request) : null;
    const server = { version: deps.version, host: hostOf(deps.address.publicUrl) };
    return send(reply, described.answer(describeRequest(request, route.path), body?.bytes ?? null, server));
  });
  return withRefusal(handled, protocol);
}

function describeRequest({ method, headers, query, params }: FastifyRequest, path: string): ProtocolRequest {
  // The query parser returns texts, or lists of them. The router fills params by the names in the path.
  return { method, path, headers, ...({ query, params } as Pick<ProtocolRequest, 'query' | 'params'>) };
}

/** The host with its port: clients that look for nodes require it. */
function hostOf(publicUrl: string): string {
  const { hostname, port, protocol } = new URL(publicUrl);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

function send(reply: FastifyReply, { status, type, headers, body }: ProtocolAnswer): FastifyReply {
  reply.code(status).headers({ ...headers });
  return status === 204 ? reply.send() : reply.type(type).serializer(asItIs).send(body);
}

function asItIs(body: string): string {
  return body;
}

function withRefusal(handled: HandledRoute, { refuse }: Protocol): HandledRoute {
  if (refuse === null) return handled;
  const formatFailure: FormatFailure = ({ status, headers, body }, { request, reply }) => {
    const writeRefusal = others.get(request)?.refuse ?? refuse;
    const { error: sentence, code, index, field } = body;
    const retryAfter = headers['retry-after'];
    const retryAfterSeconds = retryAfter === undefined ? undefined : Number(retryAfter);
    const refusal = { status, code, sentence, index, field, retryAfterSeconds };
    const answer = writeRefusal(refusal, describeRequest(request, handled.route.path));
    reply.code(answer.status).type(answer.type);
    // A known path keeps the list of its own methods.
    for (const [name, value] of Object.entries(answer.headers ?? {}))
      if (!reply.hasHeader(name)) reply.header(name, value);
    return answer.body;
  };
  return { ...handled, formatFailure };
}
