/** Opens the configured blob store. */
import type { BlobStore } from './blobStore.ts';
import { openDiskBlobs } from './disk.ts';
import type { S3Config } from './s3/connection.ts';
import { openSeenBlobs } from './s3.ts';

type BlobsConfig = { kind: 'disk'; directory: string } | ({ kind: 's3' } & S3Config);

/** With `reportOutage`, a bucket that doesn't answer now is no error. */
export async function openBlobStore(
  config: BlobsConfig,
  now: () => number,
  reportOutage?: (sentence: string) => void,
): Promise<BlobStore> {
  if (config.kind === 'disk') return openDiskBlobs({ directory: config.directory, now });
  return await openSeenBlobs(config, reportOutage);
}
