/** Speaks HTTP byte by byte over a socket: for what no well-behaved client sends. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

export type RawAnswer = { status: number; headers: Readonly<Record<string, string>>; body: string };

type Talk = {
  answers: RawAnswer[];
  /** How the other side ended the connection; `open` when it did not within the time. */
  end: 'closed' | 'reset' | 'open';
  ms: number;
};

/** Bytes to send, or milliseconds to be silent. */
export type Part = string | Uint8Array | number;

type TalkOptions = {
  /** Ends the talk as soon as so many answers have come; without it, when the other side ends it. */
  answersMax?: number;
  timeMsMax?: number;
  /** Reads nothing before everything has been sent, as simple clients do. */
  readsLast?: boolean;
  /** Says that nothing more comes once everything has been sent. */
  hangsUp?: boolean;
  /** The first answer is one to HEAD: it has no body, whatever its length says. */
  asksForHead?: boolean;
};

/** Sends the parts on one connection and hears what comes back. */
export async function talk(url: string, parts: readonly Part[], options: TalkOptions = {}): Promise<Talk> {
  const { answersMax = Number.POSITIVE_INFINITY, timeMsMax = 8_000, readsLast = false } = options;
  const { hangsUp = false, asksForHead = false } = options;
  const startedAt = performance.now();
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  const received: Buffer[] = [];
  const ended = Promise.withResolvers<Talk['end']>();
  const timer = setTimeout(() => ended.resolve('open'), timeMsMax);
  socket.on('error', () => ended.resolve('reset'));
  socket.on('end', () => ended.resolve('closed'));
  socket.on('close', () => ended.resolve('closed'));
  const listen = () =>
    socket.on('data', (bytes: Buffer) => {
      received.push(bytes);
      if (Number.isFinite(answersMax) && readAnswers(received, asksForHead).length >= answersMax)
        ended.resolve('open');
    });
  if (!readsLast) listen();
  for (const part of parts) {
    if (socket.destroyed) break;
    if (typeof part === 'number') await wait(part);
    else await new Promise<void>(resolve => socket.write(part, () => resolve()));
  }
  if (hangsUp) socket.end();
  if (readsLast) listen();
  const end = await ended.promise;
  clearTimeout(timer);
  socket.destroy();
  return { answers: readAnswers(received, asksForHead), end, ms: performance.now() - startedAt };
}

function readAnswers(received: readonly Buffer[], asksForHead: boolean): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = Buffer.concat(received).toString('latin1');
  for (let at = rest.indexOf('\r\n\r\n'); at >= 0; at = rest.indexOf('\r\n\r\n')) {
    const [statusLine = '', ...lines] = rest.slice(0, at).split('\r\n');
    const headers = Object.fromEntries(lines.map(line => splitHeader(line)));
    const bodyAt = at + 4;
    const hasBody = !asksForHead || answers.length > 0;
    const bodyEnd = bodyAt + (hasBody ? Number(headers['content-length'] ?? 0) : 0);
    if (rest.length < bodyEnd) break;
    const status = Number(statusLine.split(' ')[1]);
    if (status >= 200) answers.push({ status, headers, body: rest.slice(bodyAt, bodyEnd) });
    rest = rest.slice(bodyEnd);
  }
  return answers;
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

/** `400 bad_request` */
export function describeAnswer({ status, body }: RawAnswer): string {
  if (body === '') return String(status);
  // Errors are; anything else that is JSON has no code.
  const { code } = JSON.parse(body) as { code?: string };
  return code === undefined ? String(status) : `${status} ${code}`;
}

/** A request as it goes over the wire. */
export function compose(
  requestLine: string,
  headers: Readonly<Record<string, string | number>> = {},
  body = '',
): string {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return [`${requestLine} HTTP/1.1`, ...lines, '', body].join('\r\n');
}
