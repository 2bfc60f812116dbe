/** Notices that a client has gone before its answer was complete, so that nothing goes on working for it. */
import type { FastifyReply } from 'fastify';
import { ServiceError } from '../vocabulary.ts';

/** Aborts when the client goes away. */
export function signalOf(reply: FastifyReply): AbortSignal {
  const { raw } = reply;
  const controller = new AbortController();
  const onClose = () => {
    if (!raw.writableFinished) controller.abort(new ServiceError('bad_request', 'The client has gone.'));
  };
  if (raw.destroyed) onClose();
  else raw.once('close', onClose);
  return controller.signal;
}
