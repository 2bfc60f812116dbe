/** Answers chat webhooks as their platform does. */
import type { FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import * as contract from '../../contract/webhooks.ts';
import { toText } from '../../intake/mending.ts';
import { type HandledRoute, handle } from '../registry.ts';
import { type ChatDeps, type ChatTaken, takeChat } from './logIntake.ts';
import { writeAttachment, writeInstant } from './records.ts';

type Message = Static<typeof contract.WebhookMessage>;

export function handleWebhooks(deps: ChatDeps): HandledRoute[] {
  return [
    handle(contract.sendWebhook, async ({ caller, query, params, request, reply }) => {
      const taken = await takeChat(deps, request, { caller });
      // Senders of files want to know where they are, and the platform tells them without being asked.
      return taken.attachments !== null || /^(?:true|1)$/i.test(query.wait ?? '')
        ? writeMessage(taken, params.webhook)
        : sendNothing(reply);
    }),
    handle(contract.sendAttachments, async ({ caller, request, reply }) => {
      await takeChat(deps, request, { caller, form: 'attachments' });
      reply.type('text/plain; charset=utf-8').serializer(String);
      return 'ok' as const;
    }),
    handle(contract.describeWebhook, async ({ caller, params }) => ({
      id: params.webhook,
      token: params.token,
      type: 1 as const,
      name: caller.name || 'Tapedeck',
      channel_id: params.webhook,
      avatar: null,
    })),
  ];
}

function sendNothing(reply: FastifyReply): FastifyReply {
  return reply.code(204).send();
}

function writeMessage({ shown, traceId, attachments }: ChatTaken, webhook: string): Message {
  // Chat messages show these of theirs.
  const { content, embeds, username } = (shown ?? {}) as {
    content?: unknown;
    embeds?: unknown;
    username?: unknown;
  };
  return {
    id: makeMessageId(traceId),
    type: 0,
    content: toText(content),
    embeds: Array.isArray(embeds) ? embeds : embeds ? [embeds] : [],
    channel_id: webhook,
    webhook_id: webhook,
    // Spelled with an offset, as the platform does: older parsers know no Z.
    timestamp: writeInstant(readMillis(traceId)).replace('Z', '+00:00'),
    edited_timestamp: null,
    author: { id: webhook, username: toText(username) || 'Tapedeck', avatar: null, bot: true },
    attachments: (attachments ?? []).map(writeAttachment),
    ...{ mentions: [], mention_roles: [] },
    ...{ mention_everyone: false, pinned: false, tts: false },
    flags: 0,
  };
}

const platformEpochMs = 1_420_070_400_000; // 2015-01-01: from there the platform counts in its ids
const idBitsBelowTime = 22n;

/** An id of the form that the platform uses: libraries read it as a 64-bit number, and read the time from it. */
function makeMessageId(traceId: string): string {
  const millis = BigInt(Math.max(0, readMillis(traceId) - platformEpochMs));
  const below = BigInt(`0x${traceId.slice(-8)}`) & ((1n << idBitsBelowTime) - 1n);
  return String((millis << idBitsBelowTime) | below);
}

/** The first 48 bits of a traceId. */
function readMillis(traceId: string): number {
  return Number.parseInt(traceId.slice(0, 12), 16);
}
