/**
 * Serves requests that offer another protocol (`Upgrade`) as plain HTTP/1.1. Node.js's parser stops after such a request, because that protocol could
 * follow, and drops the bytes after it if the server declines.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Connections, markLast } from './connections.ts';
import { finishPendingResponses } from './pendingResponses.ts';

/**
 * Use this as the server's `shouldUpgradeCallback`. Gives back a request without a body, together with the bytes after it. Serves a request with a
 * body in place, and then ends its connection.
 */
export function declinesUpgrade(request: IncomingMessage): boolean {
  const { headers } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
  if (hasBody) markLast(request);
  return !hasBody;
}

/** Servers that leave some offers to another listener. */
const accepted = new WeakMap<Server, (request: IncomingMessage) => boolean>();

/** Leaves offers of this kind to another listener for `upgrade`. */
export function reserveUpgrades(server: Server, isOurs: (request: IncomingMessage) => boolean): void {
  accepted.set(server, isOurs);
}

/** `readOn` hands the connection to Node.js's server again. */
export function serveOffers(
  server: Server,
  connections: Connections,
  readOn: (socket: Socket) => void,
): void {
  // An HTTP server has sockets; the type is wider.
  server.on('upgrade', async (request, socket: Socket, rest) => {
    if (accepted.get(server)?.(request)) return;
    if (!(await finishPendingResponses(connections, socket))) return;
    socket.setTimeout(0);
    // Node.js's server adds these each time but removes only its others.
    socket.removeAllListeners('pause').removeAllListeners('resume');
    readOn(socket);
    removeListenersWhenDestroyed(socket);
    socket.unshift(Buffer.concat([composeHead(request), rest]));
    socket.resume();
    setImmediate(() => connections.release(socket)); // only once the server tracks the request
  });
}

/**
 * Discards the buffer of a destroyed connection. Pausing it no longer has an effect, and Node.js's server crashes the process if a connection that it
 * has paused passes bytes on.
 */
function removeListenersWhenDestroyed(socket: Socket): void {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = error => {
    socket.removeAllListeners('data');
    return destroy(error);
  };
}

const offer = /^(?:upgrade|http2-settings)$/i;

/** Composes the request's head without the offer. */
function composeHead({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!; // names and values alternate
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
