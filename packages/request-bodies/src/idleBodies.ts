/** Ends a request when no byte of its body has come for `idleMsMax`. A slow body that keeps coming is fine. */
import type { IncomingMessage } from 'node:http';
import { BodyFailure } from './bodyFailure.ts';

/**
 * With the usual limit the socket is checked every second. The silent checks are counted rather than the time, because a
 * process that was suspended could not hear its clients.
 */
const checksPerLimit = 30;

/** Watches the body unless it is complete in the next turn of the event loop, as most bodies are. */
export function limitBodyIdle(
  request: IncomingMessage,
  idleMsMax: number,
  refuse: (failure: BodyFailure) => void,
): void {
  if (request.complete) return;
  setImmediate(() => {
    if (!request.complete && !request.destroyed) watchBody(request, idleMsMax, refuse);
  });
}

function watchBody(
  request: IncomingMessage,
  idleMsMax: number,
  refuse: (failure: BodyFailure) => void,
): void {
  const { socket } = request;
  let bytesSeen = socket.bytesRead;
  let silentChecks = 0;
  const timer = setInterval(() => {
    // A full buffer means that the service is slow, not the client.
    const hasMoved =
      socket.bytesRead !== bytesSeen || request.readableLength >= request.readableHighWaterMark;
    bytesSeen = socket.bytesRead;
    silentChecks = hasMoved ? 0 : silentChecks + 1;
    if (request.complete || request.destroyed) clearInterval(timer);
    else if (silentChecks >= checksPerLimit) {
      clearInterval(timer);
      const sentence = `The body stopped for ${idleMsMax / 1000} seconds; send it again.`;
      refuse(new BodyFailure('request_timeout', sentence));
    }
  }, idleMsMax / checksPerLimit).unref();
  request.once('close', () => clearInterval(timer));
}
