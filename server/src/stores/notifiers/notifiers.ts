/** Sends notifications in each channel's format: HTTP requests to user-chosen addresses, and emails. */

import type { Channel, Message, Notifier, Posted } from '@tapedeck/alerting';
import type { Clock } from '@tapedeck/domain/ports/clock';
import {
  composeDiscord,
  composeMail,
  composeSlack,
  composeWebhook,
  drawChart,
  makeSecret,
  type NotificationEvent,
} from '@tapedeck/notifications';
import { Outgoing } from '@tapedeck/outgoing/requests';
import { loadSharp } from '../sharp.ts';
import { type MailSettings, openMails } from './mails.ts';
import { openRequests } from './requests.ts';

type NotifierOptions = {
  /** True if requests may go to private addresses. The operator chooses the mail server, so it may be anywhere. */
  mayBePrivate: boolean;
  mail: MailSettings | null;
  clock: Clock;
};

export function openNotifier({ mayBePrivate, mail, clock }: NotifierOptions): Notifier {
  const mails = openMails(mail);
  const requests = openRequests(new Outgoing(mayBePrivate ? { isAllowed: () => true } : {}), clock);
  const send = async (channel: Channel, message: Message, signal: AbortSignal) => {
    const { kind, target } = channel;
    const { event } = message;
    switch (kind) {
      case 'discord':
        return requests.post(target, composeDiscord(event, { chartPng: await paintChart(event) }), signal);
      case 'slack':
        return requests.post(target, composeSlack(event), signal);
      case 'webhook':
        return requests.post(target, composeWebhook(event, planSignature(channel, message)), signal);
      case 'email': {
        const mail = composeMail(event, { chartPng: await paintChart(event) });
        return mails.send({ target, mail, id: message.id }, signal);
      }
    }
  };
  return {
    makeSecret,
    check: ({ kind, target }) => (kind === 'email' ? mails : requests).check(target),
    post: async (channel, message, signal) => {
      const startedAt = performance.now();
      const receipt = await send(channel, message, signal);
      return { ...receipt, tookMs: Math.round(performance.now() - startedAt) } satisfies Posted;
    },
  };
}

function planSignature({ secret, former }: Channel, { id, at }: Message) {
  const secrets = [secret, former !== null && former.until > at ? former.secret : null];
  return { id, sentAt: at, secrets: secrets.filter(one => one !== null) };
}

/** Renders the chart as a PNG; null if there is nothing to draw. */
async function paintChart(event: NotificationEvent): Promise<Uint8Array | null> {
  const svg = drawChart(event);
  if (svg === null) return null;
  const sharp = await loadSharp();
  return sharp(Buffer.from(svg)).png({ palette: true }).toBuffer();
}
