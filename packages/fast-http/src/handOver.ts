/** Hands a connection to Node.js's HTTP server, although its first bytes were read before. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** To be called while the server has no listeners but those that it came with. Answers how a connection is handed to them. */
export function findHandOver(server: Server): (socket: Socket) => void {
  const listeners = server.listeners('connection');
  if (listeners.length === 0) throw new Error('The server takes no connections.');
  return socket => {
    for (const listener of listeners) listener.call(server, socket);
    // From now on Node.js's parser reads the socket natively, past the socket's stream. Where the server has the socket from the
    // beginning, its stream waits for bytes all the time, and never gets any. A stream that has passed bytes on waits for none,
    // and would read ahead: that wakes a socket that the server has paused.
    socket.read(0);
  };
}
