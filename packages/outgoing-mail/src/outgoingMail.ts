/** Sends mails, each over a connection of its own, and says what became of them in a sentence that holds no secret. */
import { createTransport, type NodemailerError, type Transporter } from 'nodemailer';
import type { SmtpServer } from './servers.ts';

export type Mail = {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Shown inside of the html. */
  pictures: readonly { cid: string; contentType: string; content: Uint8Array }[];
  /** Without angle brackets; the same for all attempts, so that mail programs show one of several. */
  messageId: string;
};

/** What became of it: a mail that is `refused` will be so again. */
export type MailAnswer = {
  outcome: 'taken' | 'refused' | 'failed';
  /** Of SMTP; null where the server said nothing. */
  status: number | null;
  answer: string;
};

type OutgoingMailOptions = {
  server: SmtpServer;
  from: { name: string; address: string };
  timeMsMax?: number;
};

const timeMsDefault = 10_000;

export class OutgoingMail {
  readonly #transport: Transporter;
  readonly #options: Required<OutgoingMailOptions>;

  constructor({ server, from, timeMsMax = timeMsDefault }: OutgoingMailOptions) {
    this.#options = { server, from, timeMsMax };
    const { host, port, credentials, encryption, isCertificateChecked } = server;
    this.#transport = createTransport({
      ...{ host, port, secure: encryption === 'always', requireTLS: encryption === 'required' },
      ...(credentials === null ? {} : { auth: { user: credentials.user, pass: credentials.password } }),
      ...{
        connectionTimeout: timeMsMax,
        greetingTimeout: timeMsMax,
        socketTimeout: timeMsMax,
        dnsTimeout: timeMsMax,
      },
      tls: { rejectUnauthorized: isCertificateChecked },
      // Texts of others must not name files or addresses that would be put into the mail.
      ...{ disableFileAccess: true, disableUrlAccess: true },
    });
  }

  /** Rejects with the signal's reason alone. */
  async send(mail: Mail, signal?: AbortSignal): Promise<MailAnswer> {
    const timeout = AbortSignal.timeout(this.#options.timeMsMax);
    const ending = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
    try {
      const { response = '' } = await this.#transport.sendMail({ ...this.#compose(mail), signal: ending });
      return { outcome: 'taken', status: readStatus(response), answer: response };
    } catch (error) {
      signal?.throwIfAborted();
      return this.#describe(error as NodemailerError, timeout); // what it throws is of this type
    }
  }

  #compose({ to, subject, text, html, pictures, messageId }: Mail): object {
    return {
      from: this.#options.from,
      to: { name: '', address: to },
      ...{ subject, text, html, messageId: `<${messageId}>` },
      // No out-of-office notes, please (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
      attachments: pictures.map(({ cid, contentType, content }) => ({
        ...{ cid, contentType, content: Buffer.from(content), filename: `${cid.replace(/\W.*/, '')}.png` },
        contentDisposition: 'inline',
      })),
    };
  }

  #describe(error: NodemailerError, timeout: AbortSignal): MailAnswer {
    const { host, port } = this.#options.server;
    const status = error.responseCode ?? null;
    if (status !== null && error.code !== 'ETLS') {
      const outcome = error.permanent === true && isOfMail(error) ? 'refused' : 'failed';
      return { outcome, status, answer: error.response ?? error.message };
    }
    const isSilent = timeout.aborted || error.code === 'ETIMEDOUT';
    const answer = isSilent
      ? `${host} did not answer within ${this.#options.timeMsMax / 1_000} seconds.`
      : explain(error, `${host}:${port}`);
    return { outcome: 'failed', status, answer };
  }
}

/** A server that wants another password, or another way to sign in, is given it by the settings; the mail is worth another attempt. */
function isOfMail({ code, responseCode }: NodemailerError): boolean {
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== 530;
}

function readStatus(response: string): number {
  return Number(/^\d{3}/.exec(response)?.[0] ?? 250); // what is taken is taken with 250
}

function explain({ code = '', originalCode = code, message }: NodemailerError, place: string): string {
  if (['ENOTFOUND', 'EAI_AGAIN', 'EDNS'].includes(originalCode))
    return `The mail server ${place} is not known.`;
  if (originalCode === 'ECONNREFUSED') return `Nobody listens at ${place}.`;
  if (code === 'ETLS' || /CERT|SSL|TLS/.test(originalCode)) {
    return `The connection to ${place} could not be encrypted: ${message}.`;
  }
  if (code === 'ENOAUTH') return `${place} asks for a user and a password.`;
  return `${place} could not be reached: ${message}.`;
}
