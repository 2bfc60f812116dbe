/** Expected failures of bodies, with a closed list of codes and messages that tell the sender what to change. */
import { Failure } from '@tapedeck/values/failure';

export const bodyCodes = [
  'bad_request',
  'invalid_json',
  'invalid_field',
  'file_missing',
  'file_too_large',
  'multipart_broken',
  'base64_invalid',
  'body_too_large',
  'request_timeout',
  'unsupported_content_type',
  'overloaded',
] as const;
export type BodyCode = (typeof bodyCodes)[number];

export class BodyFailure extends Failure<BodyCode> {}

/** A client that disconnects is not a failure of the service. */
export function brokenOffError(cause?: unknown): BodyFailure {
  return new BodyFailure('bad_request', 'The body was cut off; send it again.', { cause });
}
