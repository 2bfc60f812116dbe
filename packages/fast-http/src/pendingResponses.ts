/**
 * Finishes responses to earlier requests. Node.js's server gives a connection away when a request asks for another protocol, even during such
 * responses. This keeps responses in the order of the requests.
 */
import type { Socket } from 'node:net';
import { setImmediate as oneTurn } from 'node:timers/promises';
import type { Connections } from './connections.ts';

/** Resolves to true once they are sent, or to false if the client is gone. Holds the connection, and leaves it paused. */
export async function finishPendingResponses(connections: Connections, socket: Socket): Promise<boolean> {
  connections.hold(socket);
  const answers = [...connections.answersOn(socket)];
  const closed = Promise.withResolvers<void>();
  const fail = () => socket.destroy();
  const resume = () => {
    for (const answer of answers) answer.emit('drain');
  };
  // Once there is room for more responses, the server would read on without a listener, and those bytes would be lost.
  const stay = () => socket.pause();
  // Node.js's server does the same for its connections.
  const drop = () => {
    closed.resolve();
    for (const answer of answers) {
      answer.req.destroy();
      answer.destroy();
    }
  };
  socket.on('error', fail).on('drain', resume).on('resume', stay).once('close', drop);
  stay();
  const sent = answers.map(answer => new Promise(resolve => answer.once('close', resolve)));
  await oneTurn(); // the server's parser still works on this tick
  await Promise.race([Promise.all(sent), closed.promise]);
  socket.off('drain', resume).off('close', drop).off('resume', stay).pause();
  if (socket.destroyed) return false;
  socket.off('error', fail);
  return socket.writable;
}
