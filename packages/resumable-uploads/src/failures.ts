/** Expected failures of resumable uploads. */
import { Failure } from '@tapedeck/values/failure';

export const resumableCodes = [
  'bad_request',
  /** The bytes don't match the checksum, so none of them are stored. */
  'checksum_mismatch',
  'file_too_large',
  'not_found',
  /** The request names another protocol version, or none. */
  'protocol_version',
  'unsupported_content_type',
  'upload_finished',
  /** Another request is working on the upload. */
  'upload_locked',
  'upload_offset_wrong',
  'upload_unfinished',
] as const;
type ResumableCode = (typeof resumableCodes)[number];

export class ResumableFailure extends Failure<ResumableCode> {}

export function noUploadError(): ResumableFailure {
  return new ResumableFailure('not_found', 'There is no such upload, or it has expired: start a new one.');
}

export function lostError(): ResumableFailure {
  return new ResumableFailure('not_found', 'The bytes of this upload are lost: start a new one.');
}

export function lockedError(): ResumableFailure {
  return new ResumableFailure(
    'upload_locked',
    'Another request is using this upload: try again in a moment.',
    {
      retryAfterSeconds: 1,
    },
  );
}
