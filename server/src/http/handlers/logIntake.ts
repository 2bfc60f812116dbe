/** Answers the routes that take log entries in. */
import type { FastifyRequest } from 'fastify';
import * as contract from '../../contract/logs.ts';
import { decodeBody, parseBody } from '../../domain/logs/bodies.ts';
import { translateChat } from '../../domain/logs/chat.ts';
import { type IngestDeps, ingestLogs, readTimeRange, takeOnce } from '../../domain/logs/ingest.ts';
import type { TokenPrincipal } from '../../domain/principals.ts';
import { limits, ServiceError } from '../../vocabulary.ts';
import { readLogTarget } from '../logTargets.ts';
import { readFormField } from '../multipartField.ts';
import { type HandledRoute, handle, ok } from '../registry.ts';
import { readWholeBody } from '../wholeBodies.ts';

export function handleLogIntake(deps: IngestDeps): HandledRoute[] {
  return [
    handle(contract.ingestLogs, async ({ caller, request }) => {
      const target = readLogTarget(request, caller);
      requireJson(request);
      const body = await readWholeBody(request, limits.logBatchBytesMax);
      const idempotencyKey = readIdempotencyKey(request, caller, 'logs');
      await ingestLogs(deps, {
        ...target,
        body,
        contentEncoding: request.headers['content-encoding'],
        idempotencyKey,
      });
      return ok;
    }),
    handle(contract.ingestChat, async ({ caller, request }) => {
      await takeChat(deps, request, caller);
      return ok;
    }),
  ];
}

export type ChatTaken = { payload: unknown; traceId: string };

/** Stores a chat payload; answers what was read and the traceId of the first entry. */
export async function takeChat(
  deps: IngestDeps,
  request: FastifyRequest,
  caller: TokenPrincipal,
): Promise<ChatTaken> {
  const target = readLogTarget(request, caller);
  const isForm = declaredType(request) === 'multipart/form-data';
  if (!isForm) requireJson(request);
  const sent = isForm
    ? await readFormField(request, 'payload_json', limits.logBatchBytesMax)
    : await readWholeBody(request, limits.logBatchBytesMax);
  const body = await decodeBody(sent, isForm ? undefined : request.headers['content-encoding']);
  const payload = parseBody(body);
  const ingest = {
    ...target,
    body,
    contentEncoding: undefined,
    idempotencyKey: readIdempotencyKey(request, caller, 'chat'),
  };
  const { traceId } = await takeOnce(deps, ingest, () => ({
    items: translateChat(payload, readTimeRange(deps, target)),
    parentIsFirst: true,
  }));
  return { payload, traceId };
}

export function readIdempotencyKey(
  { headers }: FastifyRequest,
  { id: tokenId }: TokenPrincipal,
  route: string,
) {
  const key = headers['idempotency-key'];
  return key === undefined ? null : { tokenId, route, key: String(key) };
}

/** Scripts that declare nothing mean JSON. */
function requireJson(request: FastifyRequest): void {
  const type = declaredType(request);
  if (type === '' || type === 'application/json' || type.endsWith('+json')) return;
  throw new ServiceError('unsupported_content_type', 'Send the entries as application/json.');
}

function declaredType({ headers }: FastifyRequest): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
}
