/**
 * Serves requests that offer another protocol (`Upgrade`) as plain HTTP/1.1. Node.js's parser stops after such a
 * request, because that protocol could follow, and drops what else it has read if the server declines.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Connections, markLast } from './connections.ts';
import { finishEarlierAnswers } from './earlierAnswers.ts';

/**
 * To be the server's `shouldUpgradeCallback`. A request without a body is given back whole, with all that was read behind it. One
 * with a body is served where it stands, and ends its connection.
 */
export function givesBackOffers(request: IncomingMessage): boolean {
  const { headers } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
  if (hasBody) markLast(request);
  return !hasBody;
}

/** Servers whose offers are not declined, because somebody else listens to them. */
const accepted = new WeakMap<Server, (request: IncomingMessage) => boolean>();

/** Leaves offers of this kind to another listener for `upgrade`. */
export function leaveOffers(server: Server, isOurs: (request: IncomingMessage) => boolean): void {
  accepted.set(server, isOurs);
}

/** `readOn` gives the connection to Node.js's server once more. */
export function serveOffers(
  server: Server,
  connections: Connections,
  readOn: (socket: Socket) => void,
): void {
  // An HTTP server has sockets; the type is wider.
  server.on('upgrade', async (request, socket: Socket, rest) => {
    if (accepted.get(server)?.(request)) return;
    if (!(await finishEarlierAnswers(connections, socket))) return;
    socket.setTimeout(0);
    // Node.js's server adds these each time and takes away only its others.
    socket.removeAllListeners('pause').removeAllListeners('resume');
    readOn(socket);
    deafenWhenDestroyed(socket);
    socket.unshift(Buffer.concat([composeHead(request), rest]));
    socket.resume();
    setImmediate(() => connections.release(socket)); // not before the request is known
  });
}

/**
 * Nobody hears what a destroyed connection still has in its buffer: pausing it has no effect any more, and Node.js's server fails,
 * with the whole process, when a connection that it has paused passes bytes on.
 */
function deafenWhenDestroyed(socket: Socket): void {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = error => {
    socket.removeAllListeners('data');
    return destroy(error);
  };
}

const offer = /^(?:upgrade|http2-settings)$/i;

/** The head of the request without its offer. */
function composeHead({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!; // names and values take turns
    const value = rawHeaders[index + 1]!;
    if (/^(?:proxy-)?connection$/i.test(name)) lines.push(`${name}: ${withoutOffer(value)}`);
    else if (!offer.test(name)) lines.push(`${name}: ${value}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

function withoutOffer(options: string): string {
  const kept = options.split(',').filter(option => !offer.test(option.trim()));
  return kept.join(',').trim();
}
