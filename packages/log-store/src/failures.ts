/** Expected failures of the log store: a closed list of codes, each with a sentence for the caller. */
import { Failure } from '@tapedeck/values/failure';

export const logStoreCodes = [
  // What entries and questions need is away for a moment, or does not keep up.
  'engine_unavailable',
  'query_timeout',
  'overloaded',
  'stopping',
  // No entries are taken until there is room again.
  'journal_full',
  'disk_full',
  // These entries take more room than a batch may.
  'body_too_large',
  // Somebody has to mend something; the sentence says what.
  'unavailable',
  'engine_unsupported',
  'not_empty',
] as const;
type LogStoreCode = (typeof logStoreCodes)[number];

export class LogStoreFailure extends Failure<LogStoreCode> {}

/** The error for an engine that cannot be reached just now. */
export function describeOutage(cause?: unknown): LogStoreFailure {
  return new LogStoreFailure('engine_unavailable', 'The log engine does not answer. Try again in a moment.', {
    cause,
    retryAfterSeconds: 1, // it is started again at once
  });
}

/** A server or an engine holds what is another installation's, or nobody's that is known: a person has to say. */
export class WrongOwner extends LogStoreFailure {
  constructor(sentence: string) {
    super('unavailable', sentence);
  }
}
