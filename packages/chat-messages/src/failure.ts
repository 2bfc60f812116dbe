/** Says why a payload is not a message. */
import { Failure } from '@tapedeck/values/failure';

export const chatCodes = ['bad_request', 'invalid_field'] as const;

export class ChatFailure extends Failure<(typeof chatCodes)[number]> {}
