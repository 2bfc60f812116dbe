/** Handles the routes that ingest log entries. */
import {
  type ChatOptions,
  type KeptAttachment,
  readKeptAttachments,
  type ShownMessage,
  writeAttachment,
} from '@tapedeck/chat-messages';
import * as contract from '@tapedeck/contract/logs';
import { type MessageFileDeps, openMessageFiles } from '@tapedeck/domain/files/messageFiles';
import type { TokenPrincipal } from '@tapedeck/domain/identity/principals';
import type { LogQueries } from '@tapedeck/domain/ports/logQueries';
import type { LogTarget } from '@tapedeck/domain/ports/logs';
import { type LogLevel, logLevels, ServiceError } from '@tapedeck/domain/vocabulary';
import type { FastifyRequest } from 'fastify';
import { ingestChat } from '../../intake/chat/chatIntake.ts';
import type { EntryIntakeDeps } from '../../intake/entryIntake.ts';
import { confirmAccess } from '../authentication.ts';
import { storeBatch } from '../logs/batchRequests.ts';
import { readChatBody } from '../logs/chatBodies.ts';
import { readIdempotencyKey, readJsonBody, readLogTarget } from '../logs/logRequests.ts';
import { type HandledRoute, handle, ok } from '../routing.ts';

const chatFolder = 'chat'; // CONTRACT.md, 11
const recallMsMax = 10_000; // clients wait this long

export function handleLogIntake(deps: ChatDeps): HandledRoute[] {
  return [
    handle(contract.ingestLogs, async ({ caller, request }) => {
      const target = readLogTarget(request, caller);
      const idempotencyKey = readIdempotencyKey(request, caller, 'logs');
      return await storeBatch(deps, { ...target, idempotencyKey }, readJsonBody(request));
    }),
    handle(contract.ingestChat, async ({ caller, request }) => {
      const { attachments } = await ingestMessage(deps, request, { caller, form: 'embeds' });
      return attachments === null ? ok : { ...ok, attachments: attachments.map(writeAttachment) };
    }),
  ];
}

export type ChatDeps = EntryIntakeDeps & MessageFileDeps & { logQueries: Pick<LogQueries, 'findEntry'> };

type ChatIntakeOptions = { caller: TokenPrincipal; form: ChatOptions['form'] };

/** Stores a chat message and its files. */
export async function ingestMessage(
  deps: ChatDeps,
  request: FastifyRequest,
  { caller, form }: ChatIntakeOptions,
): Promise<ShownMessage> {
  const target = readLogTarget(request, caller);
  const startedAt = performance.now();
  await using body = await readChatBody(deps, request, { keepsFiles: caller.tokenKind === 'webhook' });
  if (body.files !== null) await confirmAccess(request, startedAt);
  const message = {
    ...target,
    body: body.bytes,
    form,
    level: readMessageLevel(deps, request),
    files: body.files && openMessageFiles(deps, { caller, usualFolder: chatFolder }, body.files),
    idempotencyKey: readIdempotencyKey(request, caller, 'chat'),
  };
  const { shown, traceId, attachments } = await ingestChat(deps, message);
  if (body.files === null) return { shown, traceId, attachments: null };
  const kept = attachments?.filter(attachment => 'url' in attachment);
  return { shown, traceId, attachments: kept ?? (await recallAttachments(deps, target, traceId)) };
}

/** Finds the files of a message that was stored before, as its entry names them. */
async function recallAttachments(
  { logQueries }: ChatDeps,
  { project, dataset }: LogTarget,
  traceId: string,
): Promise<KeptAttachment[]> {
  const place = { project, datasets: [dataset], traceId };
  const entry = await logQueries.findEntry(place, AbortSignal.timeout(recallMsMax));
  return entry === null ? [] : readKeptAttachments(entry.metadata);
}

function readMessageLevel(
  { levelSynonyms }: Pick<EntryIntakeDeps, 'levelSynonyms'>,
  request: FastifyRequest,
): LogLevel | null {
  // The contract's shape allows only a string.
  const { level: word } = request.query as { level?: string };
  if (!word) return null;
  const level = logLevels.find(known => known === word) ?? levelSynonyms?.get(word.toLowerCase());
  if (level !== undefined) return level;
  throw new ServiceError('invalid_field', `level must be one of ${logLevels.join(', ')}.`, {
    field: 'level',
  });
}
