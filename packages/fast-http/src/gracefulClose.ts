/**
 * Ends connections without a reset. If a connection closes with unread bytes, the system sends a reset, and a client may lose a response that it has
 * not read yet. So this closes its own end first and discards input, until the client closes its end, goes silent or runs out of time.
 */
import type { Socket } from 'node:net';

const lingerMsMax = 30_000; // enough for a phone to send a file of the largest size in vain
const silenceMsMax = 5_000; // a client that is still sending does so more often

/** Makes the connection linger if the current response closes it. */
export function lingerAtEnd(socket: Socket): void {
  // Node.js calls this method after a response with `Connection: close`.
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

/** Discards all further input of the connection, and ignores its errors. */
export function throwAwayInput(socket: Socket): void {
  socket.on('error', () => socket.destroy());
  const take = () => {
    socket.removeAllListeners('data');
    socket.removeAllListeners('end');
    // Adding a listener also takes the socket away from the parser that reads it natively.
    socket.on('data', () => undefined);
  };
  // If nothing consumed the body, the parser is paused. It must resume before the socket is taken from it.
  if (socket.isPaused()) socket.once('resume', take);
  else take();
  socket.resume();
}
