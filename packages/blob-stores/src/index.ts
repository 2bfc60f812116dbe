/** Keeps files on disk or in an S3 bucket, each under a place that is never reused. */
export { copyBlob, isSameBlob, type KnownBlob } from './blobCopy.ts';
export type {
  BlobEntry,
  BlobName,
  BlobPlace,
  BlobStore,
  BlobVariant,
  ByteRange,
  DiskReserve,
  MarkedStore,
  Partial,
  PartialBlobs,
  StagedFile,
  Staging,
  StagingFile,
} from './blobStore.ts';
export { blobReadBytesMax } from './blobStore.ts';
export { BlobStoreFailure, blobStoreCodes } from './failures.ts';
export { openDiskReserve } from './reserve.ts';
export { S3Client } from './s3/client.ts';
export { s3Timeouts } from './s3/connection.ts';
export { type ObjectFolder, openObjectFolder } from './s3/folder.ts';
export { type BucketObjects, openJournalObjects } from './s3/objects.ts';
export { openS3Blobs } from './s3.ts';
export { openOwnStaging } from './staging.ts';
export { openBlobStore } from './store.ts';
