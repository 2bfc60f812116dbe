/** Port to bytes: local staging for uploads in progress, and the blob store. */
export type {
  BlobEntry,
  BlobName,
  BlobPlace,
  BlobStore,
  ByteRange,
  DiskReserve,
  PartialBlobs,
  StagedFile,
  Staging,
} from '@tapedeck/blob-stores';
