/**
 * Lets routes accept WebSockets. The request passes the router like any other, so credentials and errors work as usual. Then its handler takes
 * over the connection.
 */
import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TimeSlices } from '@tapedeck/concurrency/turns';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { type Connections, finishPendingResponses, reserveUpgrades } from '@tapedeck/fast-http';
import { type WebSocket, WebSocketServer } from 'ws';
import { lokiTail } from '../loki/contract.ts';

const paths: readonly string[] = [lokiTail.path];
const messageBytesMax = 64 * 1024; // clients send little

/** The offered connection, and the bytes that followed the request. */
const offers = new WeakMap<IncomingMessage, { socket: Socket; rest: Buffer; response: ServerResponse }>();
const handshakes = new WebSocketServer({
  noServer: true,
  maxPayload: messageBytesMax,
  allowSynchronousEvents: false, // one message in a turn: a chunk may hold nine thousand
});

function isOurs({ url = '', headers }: IncomingMessage): boolean {
  const [path = ''] = url.split('?', 1);
  return paths.includes(path) && headers.upgrade?.toLowerCase() === 'websocket';
}

export function serveWebSockets(server: Server, connections: Connections): void {
  reserveUpgrades(server, isOurs);
  const slices = new TimeSlices(); // a thousand clients may come at once
  // An HTTP server has sockets, although the type is wider.
  server.on('upgrade', async (request, socket: Socket, rest) => {
    if (!isOurs(request)) return;
    if (!(await finishPendingResponses(connections, socket))) return;
    socket.setTimeout(0);
    socket.on('error', () => socket.destroy()); // the client has gone
    await slices.run(() => serve(request, socket, rest));
    setImmediate(() => connections.release(socket)); // only once the request is known
  });

  function serve(request: IncomingMessage, socket: Socket, rest: Buffer): void {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => {
      response.detachSocket(socket);
      socket.destroySoon();
    });
    offers.set(request, { socket, rest, response });
    server.emit('request', request, response);
  }
}

/** Takes over the connection of a request. Throws `bad_request` if the client offered no WebSocket. */
export async function acceptWebSocket(request: IncomingMessage): Promise<WebSocket> {
  const offer = offers.get(request);
  if (offer === undefined)
    throw new ServiceError('bad_request', 'This route uses WebSocket: connect with a WebSocket client.');
  const { socket, rest, response } = offer;
  response.detachSocket(socket);
  return new Promise(resolve => {
    handshakes.handleUpgrade(request, socket, rest, accepted => {
      socket.resume();
      resolve(accepted);
    });
  });
}
