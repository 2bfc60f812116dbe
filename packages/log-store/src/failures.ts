/** Expected failures of the log store: a closed list of codes, each with a sentence for the caller. */
import { Failure } from '@tapedeck/values/failure';

export const logStoreCodes = [
  // Temporary: the engine is away or does not keep up, or the service is stopping.
  'engine_unavailable',
  'query_timeout',
  'overloaded',
  'stopping',
  // The store accepts no entries until there is room again.
  'journal_full',
  'disk_full',
  // The entries are too large for one batch.
  'body_too_large',
  // An operator must act; the message says how.
  'unavailable',
  'engine_unsupported',
  'not_empty',
] as const;
type LogStoreCode = (typeof logStoreCodes)[number];

export class LogStoreFailure extends Failure<LogStoreCode> {}

/** Creates the error for an engine that cannot be reached right now. */
export function describeOutage(cause?: unknown): LogStoreFailure {
  return new LogStoreFailure('engine_unavailable', 'The log engine does not answer. Try again in a moment.', {
    cause,
    retryAfterSeconds: 1, // the engine restarts at once
  });
}

/** A server or engine holds entries of another installation, or of an unknown one. An operator must decide. */
export class WrongOwner extends LogStoreFailure {
  constructor(sentence: string) {
    super('unavailable', sentence);
  }
}
