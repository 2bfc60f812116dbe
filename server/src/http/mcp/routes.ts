/**
 * Serves the Model Context Protocol over Streamable HTTP, without sessions: answers each message with JSON and keeps nothing between messages.
 * GET and DELETE are for streams and sessions, so they answer 405, as unknown methods do on every path.
 */

import { ServiceError } from '@tapedeck/domain/vocabulary';
import { parseJson, requireLength } from '@tapedeck/request-bodies';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readContentType } from '../connection/requestHeads.ts';
import { readBody } from '../logs/logRequests.ts';
import { jsonType } from '../responseHeaders.ts';
import {
  type Call,
  type FormatFailure,
  type HandledRoute,
  handle,
  type RouteModule,
  signalOf,
} from '../routing.ts';
import { mcpRoute } from './contract.ts';
import {
  composeError,
  composeResult,
  RpcFailure,
  type RpcMessage,
  readMessage,
  rpcCodes,
} from './messages.ts';
import { answerMethod, type McpCall } from './methods.ts';
import { requireOwnOrigin } from './origins.ts';
import { hasEnvelope, isStateless, requireBatches, requireEnvelope, requireRevision } from './revisions.ts';
import type { ToolDeps } from './tools/tool.ts';

const bodyBytesMax = 256 * 1024; // the longest queries in a batch take a quarter of it
const batchMessagesMax = 10; // each may be a search, and they run one after another

type McpDeps = ToolDeps & { address: { publicUrl: string } };

export const mcpModule: RouteModule<McpDeps> = {
  routes: [mcpRoute],
  handle: (deps): HandledRoute[] => [{ ...handle(mcpRoute, call => respond(deps, call)), formatFailure }],
};

async function respond(
  deps: McpDeps,
  { request, reply, caller }: Call<typeof mcpRoute>,
): Promise<FastifyReply> {
  requireOwnOrigin(request, deps.address.publicUrl);
  requireAcceptance(request);
  const sent = await readSent(request);
  const call = { caller, signal: signalOf(reply) };
  try {
    if (Array.isArray(sent)) return await respondBatch(deps, { request, reply, call }, sent);
    return await respondSingle(deps, { request, reply, call }, sent);
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    return send(reply, composeError(null, error), 400);
  }
}

type Exchange = { request: FastifyRequest; reply: FastifyReply; call: McpCall };

async function respondSingle(
  deps: McpDeps,
  { request, reply, call }: Exchange,
  sent: unknown,
): Promise<FastifyReply> {
  const message = readMessage(sent);
  const isAlone = isStateless(message, request.headers);
  if (message.kind !== 'request') {
    if (!isAlone) requireRevision(request.headers);
    return accept(reply);
  }
  try {
    if (isAlone) requireEnvelope(message, request.headers);
    else if (message.method !== 'initialize') requireRevision(request.headers);
    return send(reply, composeResult(message, await answerMethod(deps, call, { ...message, isAlone })));
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    return send(reply, composeError(message.id, error), statusOf(error, isAlone));
  }
}

/** Returns the status for a single message. Older revisions report a refused method within a 200. */
function statusOf({ code }: RpcFailure, isAlone: boolean): number {
  if (code === rpcCodes.methodUnknown) return isAlone ? 404 : 200;
  return code === rpcCodes.invalidParams && !isAlone ? 200 : 400;
}

async function respondBatch(
  deps: McpDeps,
  { request, reply, call }: Exchange,
  sent: readonly unknown[],
): Promise<FastifyReply> {
  requireBatches(request.headers);
  if (sent.length === 0 || sent.length > batchMessagesMax)
    throw new RpcFailure(rpcCodes.invalidRequest, `A batch holds 1 to ${batchMessagesMax} messages.`);
  const messages = sent.map(readMessage);
  if (messages.some(isMisplaced))
    throw new RpcFailure(
      rpcCodes.invalidRequest,
      'initialize, and requests of the revision 2026-07-28, cannot be in a batch: send them separately.',
    );
  const requests = messages.filter(message => message.kind === 'request');
  if (requests.length === 0) return accept(reply);
  // The route has already counted the first.
  for (const _ of requests.slice(1)) await request.countAs(call.caller.countedAs);
  const answers: object[] = [];
  for (const message of requests) {
    try {
      const result = await answerMethod(deps, call, { ...message, isAlone: false });
      answers.push(composeResult(message, result));
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error;
      answers.push(composeError(message.id, error));
    }
  }
  return send(reply, answers);
}

function isMisplaced(message: RpcMessage): boolean {
  return message.kind !== 'response' && (message.method === 'initialize' || hasEnvelope(message.params));
}

/** Throws if the client does not accept JSON. It should accept streams as well, but gets none. */
function requireAcceptance({ headers }: FastifyRequest): void {
  const { accept: accepted = '*/*' } = headers;
  const types = accepted.split(',').map(type => type.split(';', 1)[0]?.trim().toLowerCase());
  if (['application/json', 'application/*', '*/*'].some(type => types.includes(type))) return;
  throw new ServiceError(
    'not_acceptable',
    'Responses are JSON. Send the header Accept: application/json, text/event-stream.',
  );
}

async function readSent(request: FastifyRequest): Promise<unknown> {
  requireLength(request.headers, bodyBytesMax);
  if (readContentType(request.headers) !== jsonType)
    throw new ServiceError('unsupported_content_type', 'Send the message as application/json.');
  using body = await readBody(request);
  if (body.bytes.length > bodyBytesMax)
    throw new ServiceError('body_too_large', `A message may hold at most ${bodyBytesMax} bytes.`);
  const sent = parseJson(body.bytes);
  if (sent !== undefined) return sent;
  throw new ServiceError('invalid_json', 'The body is empty; send a JSON-RPC message.');
}

function accept(reply: FastifyReply): FastifyReply {
  return reply.code(202).send();
}

function send(reply: FastifyReply, body: object, status = 200): FastifyReply {
  return reply
    .code(status)
    .type(jsonType)
    .serializer((text: string) => text)
    .send(JSON.stringify(body));
}

/** Writes errors that have a JSON-RPC code in its form. All others look the same as on other routes. */
const formatFailure: FormatFailure = ({ body }) => {
  if (body.code !== 'invalid_json') return JSON.stringify(body);
  return JSON.stringify(composeError(null, new RpcFailure(rpcCodes.parseError, body.error)));
};
