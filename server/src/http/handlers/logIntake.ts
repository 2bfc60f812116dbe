/** Answers the routes that take log entries in. */
import type { FastifyRequest } from 'fastify';
import * as contract from '../../contract/logs.ts';
import { type IngestDeps, ingestChat, ingestLogs } from '../../domain/logs/intake/ingest.ts';
import type { TokenPrincipal } from '../../domain/principals.ts';
import { readChatBody } from '../logs/chatBodies.ts';
import { readJsonBody } from '../logs/logBodies.ts';
import { readIdempotencyKey, readLogTarget } from '../logs/logTargets.ts';
import { type HandledRoute, handle, ok } from '../registry.ts';

export function handleLogIntake(deps: IngestDeps): HandledRoute[] {
  return [
    handle(contract.ingestLogs, async ({ caller, request }) => {
      const target = readLogTarget(request, caller);
      using body = await readJsonBody(request);
      const idempotencyKey = readIdempotencyKey(request, caller, 'logs');
      await ingestLogs(deps, { ...target, body: body.bytes, idempotencyKey });
      return ok;
    }),
    handle(contract.ingestChat, async ({ caller, request }) => {
      await takeChat(deps, request, { caller });
      return ok;
    }),
  ];
}

export type ChatTaken = { payload: unknown; traceId: string };
/** `form` is given where payloads are spelled otherwise; those come as JSON only. */
export type ChatTerms = { caller: TokenPrincipal; form?: 'attachments' };

/** Stores a chat payload; resolves to the payload and the traceId of its first entry. */
export async function takeChat(
  deps: IngestDeps,
  request: FastifyRequest,
  { caller, form }: ChatTerms,
): Promise<ChatTaken> {
  const target = readLogTarget(request, caller);
  using body = await (form ? readJsonBody(request) : readChatBody(request));
  const idempotencyKey = readIdempotencyKey(request, caller, 'chat');
  return await ingestChat(deps, { ...target, body: body.bytes, idempotencyKey }, form);
}
