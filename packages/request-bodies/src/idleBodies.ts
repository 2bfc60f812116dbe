/** Ends a request if no byte of its body arrives for `idleMsMax`. Slow bodies that keep arriving are fine. */
import type { IncomingMessage } from 'node:http';
import { BodyFailure } from './bodyFailure.ts';

/**
 * With the usual limit, this checks the socket every second. It counts silent checks instead of time, because a suspended process cannot hear its
 * clients.
 */
const checksPerLimit = 30;

/** Watches the rest of the body. Most bodies are complete within a turn, so let one pass first. */
export function limitBodyIdle(
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
