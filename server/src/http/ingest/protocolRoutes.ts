/** Serves the routes of other programs' protocols: each says how a request is read, answered and refused. */
import type { OtherProtocol, Protocol, ProtocolAnswer, ProtocolRequest } from '@tapedeck/log-protocols';
import type { DecodedBody } from '@tapedeck/request-bodies';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { UrlDeps } from '../../domain/files/naming.ts';
import { usualDataset } from '../../domain/logs/datasetRules.ts';
import { ingestSent, type SentDeps } from '../../intake/protocol/ingest.ts';
import { readDatasetHeader } from '../fieldAliases.ts';
import { readBody, readEncodedBody, readIdempotencyKey } from '../logs/logRequests.ts';
import { type Call, type HandledRoute, handle, type SpellFailure } from '../routing.ts';
import { type DescribedEntries, type DescribedQuestion, entryRoutes, questionRoutes } from './contract.ts';

export type ProtocolDeps = SentDeps & UrlDeps & { version: string };

export function handleProtocols(deps: ProtocolDeps): HandledRoute[] {
  return [
    ...entryRoutes.map(described => handleEntries(deps, described)),
    ...questionRoutes.map(described => handleQuestion(deps, described)),
  ];
}

/** Requests that turned out to be another protocol's than that of their route. */
const others = new WeakMap<FastifyRequest, Protocol>();

function handleEntries(deps: ProtocolDeps, { protocol, described, route }: DescribedEntries): HandledRoute {
  const handled = handle(route, async call => {
    const request = describeRequest(call.request, route.path);
    using body: DecodedBody = await readEncodedBody(call.request, described.bodyEncoding(request));
    const other = described.findOther(request, body.bytes);
    if (other !== null) others.set(call.request, other.protocol);
    const meant: OtherProtocol = other ?? { protocol, route: described };
    return send(call.reply, await takeEntries(deps, call, { ...meant, request, body: body.bytes }));
  });
  return withRefusal(handled, protocol);
}

type Meant = OtherProtocol & { request: ProtocolRequest; body: Buffer };

/** Resolves once the entries are stored. */
async function takeEntries(
  deps: ProtocolDeps,
  { request: { query, headers, routeOptions }, caller }: Call<DescribedEntries['route']>,
  { protocol, route, request, body }: Meant,
): Promise<ProtocolAnswer> {
  const startedAt = performance.now();
  const dataset = readDataset({ query, headers });
  const sent = {
    project: caller.project.slug,
    dataset,
    body,
    idempotencyKey: readIdempotencyKey({ headers }, caller, String(routeOptions.url)),
    datasets: caller.scopes.datasets,
  };
  const said = { protocol: protocol.name, said: route.readOptions(request) };
  const shown = await ingestSent(deps, sent, said);
  return route.answer({ request, shown, dataset, elapsedMs: performance.now() - startedAt });
}

/** That of entries that name none. Whether the token is for it is judged with those. */
function readDataset({ query, headers }: Pick<FastifyRequest, 'query' | 'headers'>): string {
  const { dataset } = query as { dataset?: unknown }; // texts, or lists of them
  const tenant = headers['x-scope-orgid']; // Loki's
  return String(dataset || readDatasetHeader(headers) || tenant || usualDataset);
}

function handleQuestion(deps: ProtocolDeps, { protocol, described, route }: DescribedQuestion): HandledRoute {
  const handled = handle(route, async ({ request, reply }) => {
    using body = route.stream ? await readBody(request) : null;
    const server = { version: deps.version, host: hostOf(deps.address.publicUrl) };
    return send(reply, described.answer(describeRequest(request, route.path), body?.bytes ?? null, server));
  });
  return route.access.by === 'anyone' ? handled : withRefusal(handled, protocol);
}

function describeRequest({ method, headers, query, params }: FastifyRequest, path: string): ProtocolRequest {
  // The parser of queries makes texts, or lists of them; the router fills parameters by the names in the path.
  return { method, path, headers, ...({ query, params } as Pick<ProtocolRequest, 'query' | 'params'>) };
}

/** With the port, which clients that look for nodes want in any case. */
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
  const spellFailure: SpellFailure = ({ status, headers, body }, { request, reply }) => {
    const tell = others.get(request)?.refuse ?? refuse;
    const { error: sentence, code, index, field } = body;
    const retryAfter = headers['retry-after'];
    const retryAfterSeconds = retryAfter === undefined ? undefined : Number(retryAfter);
    const refusal = { status, code, sentence, index, field, retryAfterSeconds };
    const told = tell(refusal, describeRequest(request, handled.route.path));
    reply.code(told.status).type(told.type);
    // A path that is known by itself has told its own methods.
    for (const [name, value] of Object.entries(told.headers ?? {}))
      if (!reply.hasHeader(name)) reply.header(name, value);
    return told.body;
  };
  return { ...handled, spellFailure };
}
