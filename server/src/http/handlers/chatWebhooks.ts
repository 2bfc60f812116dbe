/** Handles chat webhooks with the platform's own responses. */
import { writeMessage } from '@tapedeck/chat-messages';
import * as contract from '@tapedeck/contract/chatWebhooks';
import type { FastifyReply } from 'fastify';
import { type HandledRoute, handle } from '../routing.ts';
import { type ChatDeps, ingestMessage } from './logIntake.ts';

const usualName = 'Tapedeck';

export function handleChatWebhooks(deps: ChatDeps): HandledRoute[] {
  return [
    handle(contract.sendWebhook, async ({ caller, query, params, request, reply }) => {
      const ingested = await ingestMessage(deps, request, { caller, form: 'embeds' });
      // Senders of files want their URLs, and the platform sends them unasked.
      return ingested.attachments !== null || /^(?:true|1)$/i.test(query.wait ?? '')
        ? writeMessage(ingested, { webhook: params.webhook, usualName })
        : sendNothing(reply);
    }),
    handle(contract.sendAttachments, async ({ caller, request, reply }) => {
      await ingestMessage(deps, request, { caller, form: 'attachments' });
      reply.type('text/plain; charset=utf-8').serializer(String);
      return 'ok' as const;
    }),
    handle(contract.describeWebhook, async ({ caller, params }) => ({
      id: params.webhook,
      token: params.token,
      type: 1 as const,
      name: caller.name || usualName,
      channel_id: params.webhook,
      avatar: null,
    })),
  ];
}

function sendNothing(reply: FastifyReply): FastifyReply {
  return reply.code(204).send();
}
