/** Opens what uploads need, as configured: the place where bytes lie, and the staging on local disk before it. */
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { BlobStore, Staging } from '../../domain/ports/blobs.ts';
import { isProcessAlive } from '../processes.ts';
import { openDiskBlobs } from './disk.ts';
import type { S3Config } from './s3/connection.ts';
import { openS3Blobs } from './s3.ts';
import { openStaging } from './staging.ts';

export type BlobsConfig = { kind: 'disk'; directory: string } | ({ kind: 's3' } & S3Config);

export async function openBlobStore(config: BlobsConfig, now: () => number): Promise<BlobStore> {
  if (config.kind === 'disk') return openDiskBlobs({ directory: config.directory, now });
  return openS3Blobs(config);
}

/** A staging directory for this process alone; those of processes that have ended are removed with what they left. */
export async function openOwnStaging(directory: string): Promise<Staging> {
  const own = String(process.pid);
  for (const name of await readdir(directory).catch(() => [])) {
    if (name === own || !isProcessAlive(Number(name)))
      await rm(path.join(directory, name), { recursive: true });
  }
  return openStaging(path.join(directory, own));
}
