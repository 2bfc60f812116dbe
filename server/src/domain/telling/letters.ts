/** What is told becomes a letter as a channel takes it, and is sent. */
import {
  composeDiscord,
  composeMail,
  composeSlack,
  composeWebhook,
  drawChart,
  type ToldEvent,
} from '@tapedeck/notifications';
import type { ChannelKind } from '../../vocabulary.ts';
import type { PicturePainter } from '../ports/images.ts';
import type { Letter, Postman, Receipt } from '../ports/postman.ts';

/** Where a letter goes, and the secrets that sign it: the present one first. */
type Addressee = {
  kind: ChannelKind;
  target: string;
  secrets: readonly string[];
};

/** `id` is the same for all attempts; `sentAt` is of this one. */
type Sending = { event: ToldEvent; id: string; sentAt: number };

/** One attempt. Rejects with the signal's reason alone. */
export type Teller = (addressee: Addressee, sending: Sending, signal: AbortSignal) => Promise<Receipt>;

export function openTeller({ postman, painter }: { postman: Postman; painter: PicturePainter }): Teller {
  return async (addressee, sending, signal) => {
    return postman.send(await composeLetter(painter, addressee, sending), signal);
  };
}

async function composeLetter(
  painter: PicturePainter,
  { kind, target, secrets }: Addressee,
  { event, id, sentAt }: Sending,
): Promise<Letter> {
  switch (kind) {
    case 'discord':
      return {
        kind: 'http',
        target,
        request: composeDiscord(event, { chartPng: await paintChart(painter, event) }),
      };
    case 'slack':
      return { kind: 'http', target, request: composeSlack(event) };
    case 'webhook':
      return { kind: 'http', target, request: composeWebhook(event, { id, sentAt, secrets }) };
    case 'email': {
      const mail = composeMail(event, { chartPng: await paintChart(painter, event) });
      return { kind: 'mail', target, mail, messageId: id };
    }
  }
}

async function paintChart(painter: PicturePainter, event: ToldEvent): Promise<Buffer | null> {
  const svg = drawChart(event);
  return svg === null ? null : await painter.paint(svg);
}
