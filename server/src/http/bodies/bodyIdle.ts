/** Ends requests whose body stops coming. Measured between bytes, so that slow is fine and stuck is not. */
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../vocabulary.ts';
import { announcesBody } from './bodies.ts';

/** Every second, with the usual limit. Checks are counted, not time: a process that stood still heard nobody. */
const checksPerLimit = 30;

/** Most bodies come with their head, and are there in the next turn: those are not watched. */
export function limitBodyIdle(
  request: IncomingMessage,
  idleMsMax: number,
  refuse: (failure: ServiceError) => void,
): void {
  if (request.complete || !announcesBody(request.headers)) return;
  setImmediate(() => {
    if (!request.complete && !request.destroyed) watchBody(request, idleMsMax, refuse);
  });
}

function watchBody(
  request: IncomingMessage,
  idleMsMax: number,
  refuse: (failure: ServiceError) => void,
): void {
  const { socket } = request;
  let bytesSeen = socket.bytesRead;
  let silentChecks = 0;
  const timer = setInterval(() => {
    // What is full waits for us, not for the client.
    const hasMoved =
      socket.bytesRead !== bytesSeen || request.readableLength >= request.readableHighWaterMark;
    bytesSeen = socket.bytesRead;
    silentChecks = hasMoved ? 0 : silentChecks + 1;
    if (request.complete || request.destroyed) clearInterval(timer);
    else if (silentChecks >= checksPerLimit) {
      clearInterval(timer);
      const sentence = `The body stopped for ${idleMsMax / 1000} seconds; send it again.`;
      refuse(new ServiceError('request_timeout', sentence));
    }
  }, idleMsMax / checksPerLimit).unref();
  request.once('close', () => clearInterval(timer));
}
