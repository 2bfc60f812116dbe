/** Where bytes lie: staging on local disk for uploads under way, and the store that keeps blobs. */
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
