/** Ends requests whose body stops coming. Measured between bytes, so that slow is fine and stuck is not. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits, ServiceError } from '../vocabulary.ts';
import { hasBody } from './bodies.ts';

/** `idleMsMax` is a parameter for the tests' sake. */
export function limitBodyIdle(
  request: FastifyRequest,
  reply: FastifyReply,
  idleMsMax: number = limits.bodyIdleMsMax,
): void {
  const { raw } = request;
  if (raw.complete || !hasBody(request)) return;
  const { socket } = raw;
  const stopTimer = () => socket.setTimeout(0);
  raw.setTimeout(idleMsMax, () => {
    stopTimer();
    reply.header('connection', 'close');
    // What still waits for the body learns that it will not come.
    reply.raw.once('finish', () => socket.destroySoon());
    reply.send(
      new ServiceError('request_timeout', `The body stopped for ${idleMsMax / 1000} seconds; send it again.`),
    );
  });
  raw.once('end', stopTimer);
}
