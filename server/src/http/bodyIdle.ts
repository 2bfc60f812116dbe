/** Ends requests whose body stops coming. Measured between bytes, so that slow is fine and stuck is not. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../vocabulary.ts';
import { hasBody } from './bodies.ts';

/** Every second, with the usual limit. Checks are counted, not time: a process that stood still heard nobody. */
const checksPerLimit = 30;

export function limitBodyIdle(request: FastifyRequest, reply: FastifyReply, idleMsMax: number): void {
  const { raw } = request;
  if (raw.complete || !hasBody(request)) return;
  const { socket } = raw;
  let bytesSeen = socket.bytesRead;
  let silentChecks = 0;
  const timer = setInterval(() => {
    // What is full waits for us, not for the client.
    const hasMoved = socket.bytesRead !== bytesSeen || raw.readableLength >= raw.readableHighWaterMark;
    bytesSeen = socket.bytesRead;
    silentChecks = hasMoved ? 0 : silentChecks + 1;
    if (raw.complete || raw.destroyed) clearInterval(timer);
    else if (silentChecks >= checksPerLimit) {
      clearInterval(timer);
      refuse(reply, idleMsMax);
    }
  }, idleMsMax / checksPerLimit).unref();
  raw.once('close', () => clearInterval(timer));
}

/** What still waits for the body learns from the end of the connection that it will not come. */
function refuse(reply: FastifyReply, idleMsMax: number): void {
  if (reply.sent) {
    reply.raw.socket?.destroySoon();
    return;
  }
  const sentence = `The body stopped for ${idleMsMax / 1000} seconds; send it again.`;
  reply.send(new ServiceError('request_timeout', sentence));
}
