/** A mail server for tests: keeps the mail it receives, and refuses what the test says. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

type Mail = { from: string; to: string[]; raw: string; user: string | undefined; isEncrypted: boolean };

export type Mailbox = AsyncDisposable & {
  port: number;
  received: Mail[];
  /** Resolves to the mail once `count` have arrived. */
  wait(count: number): Promise<Mail[]>;
};

const patienceMs = 100_000; // for a busy machine

export async function startMailbox(options: SMTPServerOptions = {}, port = 0): Promise<Mailbox> {
  const received: Mail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onAuth: ({ username }, _session, callback) => callback(null, { user: username }),
    onData: (stream, session, callback) => {
      void readText(stream).then(raw => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          raw,
          isEncrypted: session.secure,
          user: session.user as string | undefined, // a string, as the tests sign in with it
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
        });
        callback(null, 'kept');
        server.emit('received');
      });
    },
    ...options,
  });
  server.on('error', () => {}); // connections that the client ended
  const listening = server.listen(port, '127.0.0.1');
  await once(listening, 'listening');
  return {
    port: (listening.address() as AddressInfo).port, // it listens on a port
    received,
    wait: async count => {
      const signal = AbortSignal.timeout(patienceMs);
      while (received.length < count) await once(server, 'received', { signal });
      return received;
    },
    [Symbol.asyncDispose]: () => new Promise(resolve => server.close(() => resolve())),
  };
}

/** Returns the decoded parts of a mail by type. */
export function readParts(raw: string): Map<string, Buffer> {
  const parts = new Map<string, Buffer>();
  for (const [, boundary] of raw.matchAll(/boundary="([^"]+)"/g)) {
    for (const part of raw.split(`--${boundary}`).slice(1, -1)) {
      const [head = '', ...body] = part.trimStart().split('\r\n\r\n');
      const type = /^content-type: ([^;\s]+)/im.exec(head)?.[1] ?? '';
      if (!type.startsWith('multipart/')) parts.set(type, decode(head, body.join('\r\n\r\n')));
    }
  }
  return parts;
}

function decode(head: string, body: string): Buffer {
  if (/^content-transfer-encoding: base64/im.test(head)) return Buffer.from(body, 'base64');
  if (!/^content-transfer-encoding: quoted-printable/im.test(head)) return Buffer.from(body);
  const joined = body.replace(/=\r\n/g, '');
  return Buffer.from(
    joined.replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  );
}
