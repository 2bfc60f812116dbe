/** Speaks HTTP byte by byte over a socket, for requests that no well-behaved client sends. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

export type RawAnswer = { status: number; headers: Readonly<Record<string, string>>; body: string };

type Talk = {
  answers: RawAnswer[];
  /** How the other side ended the connection; `open` if it did not before the timeout. */
  end: 'closed' | 'reset' | 'open';
  ms: number;
};

/** Bytes to send, or milliseconds of silence. */
export type Part = string | Uint8Array | number;

type TalkOptions = {
  /** Ends the talk after this many responses; without it, when the other side ends it. */
  answersMax?: number;
  timeMsMax?: number;
  /** Sends everything before it reads, as simple clients do. */
  readsLast?: boolean;
  /** Closes its sending side once everything is sent. */
  hangsUp?: boolean;
  /** The first response answers HEAD: it has no body, whatever its length says. */
  asksForHead?: boolean;
};

/** Sends the parts on one connection and reads the responses. */
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

/** Returns `400 bad_request`. */
export function describeAnswer({ status, body }: RawAnswer): string {
  if (body === '') return String(status);
  // Errors have a code; other JSON has none.
  const { code } = JSON.parse(body) as { code?: string };
  return code === undefined ? String(status) : `${status} ${code}`;
}

/** Composes a request as sent on the wire. */
export function compose(
  requestLine: string,
  headers: Readonly<Record<string, string | number>> = {},
  body = '',
): string {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return [`${requestLine} HTTP/1.1`, ...lines, '', body].join('\r\n');
}
