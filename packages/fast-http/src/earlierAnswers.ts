/**
 * Sends responses to earlier requests to their end. Node.js's server gives a connection away when a request asks for
 * another protocol, although such responses may still be under way. So responses come in the order of the requests.
 */
import type { Socket } from 'node:net';
import { setImmediate as oneTurn } from 'node:timers/promises';
import type { Connections } from './connections.ts';

/** Resolves when they have been sent; to false when the client is gone. Holds the connection, and leaves it paused. */
export async function finishEarlierAnswers(connections: Connections, socket: Socket): Promise<boolean> {
  connections.hold(socket);
  const answers = [...connections.answersOn(socket)];
  const gone = Promise.withResolvers<void>();
  const fail = () => socket.destroy();
  const goOn = () => {
    for (const answer of answers) answer.emit('drain');
  };
  // Once there is room for more answers, the server would read on, though nobody listens: those bytes would be lost.
  const stay = () => socket.pause();
  // As Node.js's server does for connections that it keeps.
  const drop = () => {
    gone.resolve();
    for (const answer of answers) {
      answer.req.destroy();
      answer.destroy();
    }
  };
  socket.on('error', fail).on('drain', goOn).on('resume', stay).once('close', drop);
  stay();
  const sent = answers.map(answer => new Promise(resolve => answer.once('close', resolve)));
  await oneTurn(); // its parser is at work until then
  await Promise.race([Promise.all(sent), gone.promise]);
  socket.off('drain', goOn).off('close', drop).off('resume', stay).pause();
  if (socket.destroyed) return false;
  socket.off('error', fail);
  return socket.writable;
}
