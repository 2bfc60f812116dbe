/** Answers the routes that take log entries in. */
import type { FastifyRequest } from 'fastify';
import * as contract from '../../contract/logs.ts';
import { type IngestDeps, ingestChat, ingestLogs } from '../../domain/logs/ingest.ts';
import type { TokenPrincipal } from '../../domain/principals.ts';
import { limits, ServiceError } from '../../vocabulary.ts';
import { readFormFields } from '../formFields.ts';
import { readLogTarget } from '../logTargets.ts';
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
  const sent = isForm ? await readChatForm(request) : await readWholeBody(request, limits.logBatchBytesMax);
  return await ingestChat(deps, {
    ...target,
    body: sent,
    contentEncoding: isForm ? undefined : request.headers['content-encoding'],
    idempotencyKey: readIdempotencyKey(request, caller, 'chat'),
  });
}

/** The payload as JSON in one field, or, as people write by hand, its texts in a field each. */
async function readChatForm(request: FastifyRequest): Promise<Buffer> {
  const texts = ['content', 'username', 'avatar_url'];
  const fields = await readFormFields(request, ['payload_json', ...texts], limits.logBatchBytesMax);
  if (fields.size === 0) throw new ServiceError('bad_request', 'The form lacks the field payload_json.');
  return Buffer.from(fields.get('payload_json') ?? JSON.stringify(Object.fromEntries(fields)));
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
