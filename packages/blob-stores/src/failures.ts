/** The expected failures of blob stores. */
import { Failure } from '@tapedeck/values/failure';

export const blobStoreCodes = [
  /** A put or a restore found its place taken. */
  'blob_exists',
  /** The disk or the bucket doesn't respond properly now. */
  'blobs_unavailable',
  'disk_full',
  /** All allowed calls are in progress, and none ended in time. */
  'overloaded',
  /** The operator must change something. The message says what. */
  'unavailable',
] as const;
type BlobStoreCode = (typeof blobStoreCodes)[number];

export class BlobStoreFailure extends Failure<BlobStoreCode> {}
