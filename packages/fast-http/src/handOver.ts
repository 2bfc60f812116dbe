/** Hands a connection to Node.js's HTTP server after its first bytes were read. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Call this while the server has only its built-in listeners. Returns a function that hands a connection to them. */
export function findHandOver(server: Server): (socket: Socket) => void {
  const listeners = server.listeners('connection');
  if (listeners.length === 0) throw new Error('The server takes no connections.');
  return socket => {
    for (const listener of listeners) listener.call(server, socket);
    // From now on, Node.js's parser reads the socket natively, past its stream. If the server owns the socket from the start, its stream always waits
    // for bytes but never gets any. A stream that has passed bytes on would not wait but read ahead, which wakes a socket that the server has paused.
    socket.read(0);
  };
}
