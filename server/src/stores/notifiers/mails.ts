/** Sends a composed email through the operator's SMTP server. */

import type { Receipt } from '@tapedeck/alerting';
import { invalidFieldError, limits, patterns } from '@tapedeck/domain/vocabulary';
import type { ComposedMail } from '@tapedeck/notifications';
import { OutgoingMail, type SmtpServer } from '@tapedeck/outgoing/mail';
import { truncateAnswer } from './responses.ts';

export type MailSettings = { server: SmtpServer; from: { name: string; address: string } };

type Letter = { target: string; mail: ComposedMail; id: string };

const noServer = 'There is no mail server: set TAPEDECK_SMTP_URL';

export function openMails(settings: MailSettings | null) {
  const mails = settings === null ? null : new OutgoingMail(settings);
  return {
    check: (target: string): void => {
      if (mails === null) throw invalidFieldError('kind', `${noServer}, or choose another kind of channel.`);
      requireAddresses(target);
    },
    send: async ({ target, mail, id }: Letter, signal: AbortSignal): Promise<Receipt> => {
      const none = { status: null, retryAfterMs: null };
      if (settings === null || mails === null) return { ...none, outcome: 'failed', answer: `${noServer}.` };
      const host = settings.from.address.replace(/^.*@/, '');
      const letter = { ...mail, to: listAddresses(target), messageId: `${id}@${host}` };
      const { outcome, status, answer } = await mails.send(letter, signal);
      return { ...none, outcome, status, answer: truncateAnswer(answer) };
    },
  };
}

/** Splits the addresses at commas, with optional spaces around them. */
function listAddresses(target: string): string[] {
  return [...new Set(target.split(/ *, */))];
}

function requireAddresses(target: string): void {
  const addresses = listAddresses(target);
  if (addresses.length > limits.channelAddressesMax) {
    const sentence = `A channel mails to at most ${limits.channelAddressesMax} addresses. Add another channel for more.`;
    throw invalidFieldError('target', sentence);
  }
  const wrong = addresses.find(address => !isAddress(address));
  if (wrong === undefined) return;
  throw invalidFieldError(
    'target',
    'The target of an email channel is one or more addresses, separated by commas.',
  );
}

/** Refuses characters that would begin a name, a comment or a list in a header. */
function isAddress(text: string): boolean {
  if (text.length > limits.emailCharactersMax || /[<>()[\]",:;\\\p{C}]/u.test(text)) return false;
  return new RegExp(patterns.email).test(text);
}
