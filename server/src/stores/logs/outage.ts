/** The error that every client of the log engine throws when the engine cannot be reached just now. */
import { ServiceError } from '../../vocabulary.ts';

export function describeOutage(cause?: unknown): ServiceError {
  return new ServiceError('engine_unavailable', 'The log engine does not answer. Try again in a moment.', {
    cause,
    retryAfterSeconds: 1, // it is started again at once
  });
}
