/** Carries letters: requests to addresses that users chose, and mails by way of the operator's server. */
import { readRetryAfter } from '@tapedeck/notifications';
import { OutgoingMail, type SmtpServer } from '@tapedeck/outgoing-mail';
import { Outgoing, type OutgoingAnswer, OutgoingFailure } from '@tapedeck/outgoing-requests';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Letter, Postman, Receipt } from '../../domain/ports/postman.ts';
import { version } from '../../version.ts';
import { invalidFieldError, limits, patterns } from '../../vocabulary.ts';

type PostmanOptions = {
  /** Whether letters go to private addresses, too. The mail server is the operator's choice and may be anywhere. */
  allowsPrivate: boolean;
  mail: { server: SmtpServer; from: { name: string; address: string } } | null;
  clock: Clock;
};

const answerBytesMax = 1024; // CONTRACT.md, 10: first KiB of the answer

export function openPostman({ allowsPrivate, mail, clock }: PostmanOptions): Postman {
  const outgoing = new Outgoing(allowsPrivate ? { isAllowed: () => true } : {});
  const mails = mail === null ? null : new OutgoingMail(mail);
  return {
    check: (kind, target) => (kind === 'http' ? checkAddress(outgoing, target) : checkMailbox(mails, target)),
    send: (letter, signal) =>
      letter.kind === 'http'
        ? sendRequest({ outgoing, clock }, letter, signal)
        : sendMail({ mails, host: mail?.from.address.replace(/^.*@/, '') ?? 'localhost' }, letter, signal),
  };
}

function checkAddress(outgoing: Outgoing, target: string): void {
  try {
    outgoing.check(target);
  } catch (error) {
    if (!(error instanceof OutgoingFailure)) throw error;
    throw invalidFieldError('target', error.message);
  }
}

function checkMailbox(mails: OutgoingMail | null, target: string): void {
  if (mails === null) throw invalidFieldError('kind', 'Mail needs a server: set TAPEDECK_SMTP_URL.');
  if (target.length > limits.emailCharactersMax || !new RegExp(patterns.email).test(target)) {
    throw invalidFieldError('target', 'The target of a mail is one e-mail address.');
  }
}

type Sending<Kind extends Letter['kind']> = Extract<Letter, { kind: Kind }>;

async function sendRequest(
  { outgoing, clock }: { outgoing: Outgoing; clock: Clock },
  { target, request }: Sending<'http'>,
  signal: AbortSignal,
): Promise<Receipt> {
  const headers = { 'user-agent': `Tapedeck/${version}`, ...request.headers };
  try {
    const answer = await outgoing.send({ method: 'POST', url: target, headers, body: request.body }, signal);
    return readAnswer(answer, clock.now());
  } catch (error) {
    if (!(error instanceof OutgoingFailure)) throw error;
    const isLasting = error.code === 'target_invalid' || error.code === 'target_private';
    const outcome = isLasting ? 'refused' : 'later';
    return { outcome, status: null, answer: error.message, retryAfterMs: null };
  }
}

function readAnswer({ status, headers, body }: OutgoingAnswer, now: number): Receipt {
  const isLater = status === 429 || status >= 500;
  return {
    outcome: status >= 200 && status < 300 ? 'delivered' : isLater ? 'later' : 'refused',
    status,
    answer: body.subarray(0, answerBytesMax).toString(),
    retryAfterMs: isLater ? readRetryAfter(headers, body.toString(), now) : null,
  };
}

async function sendMail(
  { mails, host }: { mails: OutgoingMail | null; host: string },
  { target, mail, messageId }: Sending<'mail'>,
  signal: AbortSignal,
): Promise<Receipt> {
  const none = { status: null, retryAfterMs: null };
  if (mails === null)
    return { ...none, outcome: 'later', answer: 'There is no mail server: set TAPEDECK_SMTP_URL.' };
  const letter = { ...mail, to: target, messageId: `${messageId}@${host}` };
  const { outcome, status, answer } = await mails.send(letter, signal);
  const outcomes = { taken: 'delivered', refused: 'refused', failed: 'later' } as const;
  return { ...none, outcome: outcomes[outcome], status, answer: answer.slice(0, answerBytesMax) };
}
