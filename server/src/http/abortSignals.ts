/** Aborts work for a client that disconnects before its response is complete. */
import type { FastifyReply } from 'fastify';
import { ServiceError } from '../vocabulary.ts';

/**
 * Aborts when the client goes away. Whoever closes its own end while this answer is being made counts as gone: where a server answers
 * such clients, nothing else tells that one has left.
 */
export function signalOf(reply: FastifyReply): AbortSignal {
  const { raw } = reply;
  const { socket } = raw;
  const controller = new AbortController();
  const abort = () => controller.abort(new ServiceError('bad_request', 'The client has gone.'));
  const onClose = () => {
    socket?.off('end', abort);
    if (!raw.writableFinished) abort();
  };
  if (raw.destroyed) onClose();
  else {
    raw.once('close', onClose);
    socket?.once('end', abort);
  }
  return controller.signal;
}
