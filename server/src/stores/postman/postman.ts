/** Takes notifications to their targets over HTTP, in the form that each kind of channel takes. */
import {
  type ComposedRequest,
  composeDiscord,
  composeSlack,
  composeWebhook,
  drawChart,
  makeSecret,
  readRetryAfter,
  type ToldEvent,
} from '@tapedeck/notifications';
import { Outgoing, OutgoingFailure } from '@tapedeck/outgoing-requests';
import sharp from 'sharp';
import type { Postman } from '../../domain/ports/postman.ts';
import type { Channel } from '../../domain/ports/telling.ts';
import { invalidFieldError } from '../../vocabulary.ts';

const answerBytesMax = 1024; // CONTRACT.md, 10: the first KiB is kept

export function openPostman({ mayBePrivate }: { mayBePrivate: boolean }): Postman {
  const outgoing = new Outgoing(mayBePrivate ? { isAllowed: () => true } : {});
  return {
    makeSecret,
    check: ({ kind, target }) => {
      if (kind === 'email')
        throw invalidFieldError('kind', 'This version sends no e-mail; choose another kind.');
      try {
        outgoing.check(target);
      } catch (error) {
        if (error instanceof OutgoingFailure) throw invalidFieldError('target', error.message);
        throw error;
      }
    },
    post: async (channel, message, signal) => {
      const startedAt = performance.now();
      const told = (status: number | null, answer: string, retryAfterMs: number | null) => ({
        ...{ status, answer, retryAfterMs },
        tookMs: Math.round(performance.now() - startedAt),
      });
      try {
        const request = await compose(channel, message);
        const sent = { method: 'POST', url: channel.target, ...request } as const;
        const { status, headers, body } = await outgoing.send(sent, signal);
        const answer = body.subarray(0, answerBytesMax).toString().replaceAll('\0', '');
        return told(status, answer, readRetryAfter(headers, body.toString(), Date.now()));
      } catch (error) {
        if (!(error instanceof OutgoingFailure)) throw error;
        return told(null, error.message, null);
      }
    },
  };
}

async function compose(
  { kind, secret, former }: Channel,
  { id, event, at }: { id: string; event: ToldEvent; at: number },
): Promise<ComposedRequest> {
  if (kind === 'discord') return composeDiscord(event, { chartPng: await paintChart(event) });
  if (kind === 'slack') return composeSlack(event);
  const secrets = [secret, former !== null && former.until > at ? former.secret : null];
  return composeWebhook(event, { id, sentAt: at, secrets: secrets.filter(one => one !== null) });
}

async function paintChart(event: ToldEvent): Promise<Uint8Array | null> {
  const svg = drawChart(event);
  return svg === null ? null : sharp(Buffer.from(svg)).png().toBuffer();
}
