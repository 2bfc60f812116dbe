/** Expected failures of alerting. */
import { Failure } from '@tapedeck/values/failure';

type AlertingCode = 'invalid_field' | 'not_found' | 'channel_in_use' | 'not_firing' | 'overloaded';

export class AlertingFailure extends Failure<AlertingCode> {}

/** One field of the request is invalid. `field` is spelled as in the request. */
export function invalidFieldError(field: string, sentence: string): AlertingFailure {
  return new AlertingFailure('invalid_field', sentence, { field });
}
