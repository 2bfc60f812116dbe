/**
 * Ends connections without a reset. If a connection closes with unread bytes, the system sends a reset, and a client
 * that has not read the response yet loses it. So the own end is closed first, whatever still comes is thrown away, and
 * the rest closes when the client has closed its end, fallen silent or used up its time.
 */
import type { Socket } from 'node:net';

const lingerMsMax = 30_000; // enough for a phone to send a file of the largest size for nothing
const silenceMsMax = 5_000; // a client that is still sending does so more often

/** Makes the connection linger when the answer under way closes it. */
export function lingerAtEnd(socket: Socket): void {
  // Node.js calls this method when it has sent an answer that says `Connection: close`.
  socket.destroySoon = () => linger(socket);
}

export function linger(socket: Socket): void {
  if (socket.destroyed) return;
  throwAwayInput(socket);
  socket.setTimeout(silenceMsMax, () => socket.destroy());
  const timer = setTimeout(() => socket.destroy(), lingerMsMax).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end(() => {
    if (socket.readableEnded) socket.destroy();
    else socket.once('end', () => socket.destroy());
  });
}

/** Throws away all further input of the connection, and ignores its errors. */
export function throwAwayInput(socket: Socket): void {
  socket.on('error', () => socket.destroy());
  const take = () => {
    socket.removeAllListeners('data');
    socket.removeAllListeners('end');
    // The first listener of its own also takes the socket from the parser that reads it natively.
    socket.on('data', () => undefined);
  };
  // A parser that has stopped reading, because nobody took the body, must go on before the socket is taken from it.
  if (socket.isPaused()) socket.once('resume', take);
  else take();
  socket.resume();
}
