/** Expected failures of resumable uploads. */
import { Failure } from '@tapedeck/values/failure';

export const resumableCodes = [
  'bad_request',
  /** The bytes do not match the checksum; none of them are kept. */
  'checksum_mismatch',
  'file_too_large',
  'not_found',
  /** Another version of the protocol, or none. */
  'protocol_version',
  'unsupported_content_type',
  'upload_finished',
  /** Another request has it. */
  'upload_locked',
  'upload_offset_wrong',
  'upload_unfinished',
] as const;
type ResumableCode = (typeof resumableCodes)[number];

export class ResumableFailure extends Failure<ResumableCode> {}

export function noUploadError(): ResumableFailure {
  return new ResumableFailure('not_found', 'There is no such upload, or it has expired: begin a new one.');
}

export function lockedError(): ResumableFailure {
  return new ResumableFailure('upload_locked', 'Another request has this upload: try again in a moment.', {
    retryAfterSeconds: 1,
  });
}
