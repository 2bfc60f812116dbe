/** Port to files' bytes: local staging for uploads in progress, and the blob store. */
export type {
  BlobEntry,
  BlobName,
  BlobPlace,
  BlobStore,
  BlobVariant,
  ByteRange,
  DiskReserve,
  PartialBlobs,
  StagedFile,
  Staging,
  StagingFile,
} from '@tapedeck/blob-stores';
