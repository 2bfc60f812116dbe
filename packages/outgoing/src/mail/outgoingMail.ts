/** Sends each mail over a separate connection, and reports the result in a sentence without secrets. */
import type { NodemailerError, Transporter } from 'nodemailer';
import type { SmtpServer } from './servers.ts';

export type Mail = {
  /** One email address per item. */
  to: readonly string[];
  subject: string;
  text: string;
  html: string;
  /** Shown in the HTML. */
  pictures: readonly { cid: string; contentType: string; content: Uint8Array }[];
  /** Without angle brackets. The same for all attempts, so that mail programs show the mail once. */
  messageId: string;
};

/** The result of a mail. A `refused` mail would be refused again. With several addresses, one success makes it `taken`. */
type MailAnswer = {
  outcome: 'taken' | 'refused' | 'failed';
  /** The SMTP status; null if the server said nothing. */
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
  /** Created for the first mail: loading the mail library takes a tenth of a second, and most programs with a mail server send none. */
  #transport: Promise<Transporter> | null = null;
  readonly #options: Required<OutgoingMailOptions>;

  constructor({ server, from, timeMsMax = timeMsDefault }: OutgoingMailOptions) {
    this.#options = { server, from, timeMsMax };
  }

  /** Rejects only with the signal's reason. */
  async send(mail: Mail, signal?: AbortSignal): Promise<MailAnswer> {
    const timeout = AbortSignal.timeout(this.#options.timeMsMax);
    const ending = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
    try {
      this.#transport ??= openTransport(this.#options);
      const transport = await this.#transport;
      const sent = await transport.sendMail({ ...this.#compose(mail), signal: ending });
      return { outcome: 'taken', status: readStatus(sent.response), answer: describeTaken(sent) };
    } catch (error) {
      signal?.throwIfAborted();
      return this.#describe(error as NodemailerError, timeout); // nodemailer throws errors of this type
    }
  }

  #compose({ to, subject, text, html, pictures, messageId }: Mail): object {
    return {
      from: this.#options.from,
      to: to.map(address => ({ name: '', address })),
      subject,
      text,
      html,
      messageId: `<${messageId}>`,
      // Asks for no out-of-office replies (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
      attachments: pictures.map(({ cid, contentType, content }) => ({
        cid,
        contentType,
        content: Buffer.from(content),
        filename: `${cid.replace(/\W.*/, '')}.png`,
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

async function openTransport({ server, timeMsMax }: Required<OutgoingMailOptions>): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const { host, port, credentials, encryption, isCertificateChecked } = server;
  return createTransport({
    host,
    port,
    secure: encryption === 'always',
    requireTLS: encryption === 'required',
    ...(credentials === null ? {} : { auth: { user: credentials.user, pass: credentials.password } }),
    connectionTimeout: timeMsMax,
    greetingTimeout: timeMsMax,
    socketTimeout: timeMsMax,
    dnsTimeout: timeMsMax,
    tls: { rejectUnauthorized: isCertificateChecked },
    // Texts of others must not pull files or URLs into the mail.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/**
 * Returns whether the failure concerns the mail itself. A wrong password or sign-in method can be fixed in the settings, so the mail is worth another
 * attempt.
 */
function isOfMail({ code, responseCode }: NodemailerError): boolean {
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== 530;
}

function readStatus(response = ''): number {
  return Number(/^\d{3}/.exec(response)?.[0] ?? 250); // servers answer accepted mail with 250
}

type Taken = { response?: string | undefined; rejectedErrors?: readonly NodemailerError[] };

/** Adds the addresses that the server refused. */
function describeTaken({ response = '', rejectedErrors = [] }: Taken): string {
  const refused = rejectedErrors.map(error => `${error.recipient}: ${error.response ?? error.message}`);
  return [response, ...(refused.length > 0 ? [`But not for ${refused.join('; ')}`] : [])].join('\n');
}

function explain({ code = '', originalCode = code, message }: NodemailerError, place: string): string {
  if (['ENOTFOUND', 'EAI_AGAIN', 'EDNS'].includes(originalCode))
    return `Could not find the mail server ${place}.`;
  if (originalCode === 'ECONNREFUSED') return `${place} refused the connection.`;
  if (code === 'ETLS' || /CERT|SSL|TLS/.test(originalCode)) {
    return `The connection to ${place} could not be encrypted: ${message}.`;
  }
  if (code === 'ENOAUTH') return `${place} asks for a user and a password.`;
  return `${place} could not be reached: ${message}.`;
}
