/** The failures of blob stores that are expected. */
import { Failure } from '@tapedeck/values/failure';

export const blobStoreCodes = [
  /** A place was to be used twice. */
  'blob_exists',
  /** The disk or the bucket does not answer as it should now. */
  'blobs_unavailable',
  'disk_full',
  /** All allowed calls are in progress, and none ended in time. */
  'overloaded',
  /** Somebody has to change something: the sentence says what. */
  'unavailable',
] as const;
type BlobStoreCode = (typeof blobStoreCodes)[number];

export class BlobStoreFailure extends Failure<BlobStoreCode> {}
