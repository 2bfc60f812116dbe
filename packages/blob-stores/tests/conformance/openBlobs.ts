/** For tests: blob stores in fresh directories, and files to put into them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before } from 'node:test';
import type { BlobName, BlobStore, StagedFile, Staging } from '../../src/blobStore.ts';
import { openStaging } from '../../src/staging.ts';

export type BlobAdapter = {
  title: string;
  /** Opens an empty store, with a matching staging, in a directory that no other test uses. */
  open(directory: string): Promise<{ store: BlobStore; staging: Staging }>;
};

export type OpenBlobs = { store: BlobStore; staging: Staging; directory: string };

/** Provides a store to the tests of a `describe`. */
export function useBlobs(open: BlobAdapter['open']): OpenBlobs {
  const blobs: Partial<OpenBlobs> = {};
  before(async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'blobs-'));
    Object.assign(blobs, { directory, ...(await open(directory)) });
  });
  after(async () => {
    await blobs.store?.[Symbol.asyncDispose]();
    await rm(blobs.directory ?? '', { recursive: true, force: true });
  });
  return blobs as OpenBlobs; // filled before the first test runs
}

export const stageBytes = (staging: Staging, ...chunks: Buffer[]): Promise<StagedFile> =>
  staging.stage(streamOf(chunks), { bytesMax: 64 * 1024 * 1024, refuse: refuseBytes });

export const refuseBytes = (): Error => new RangeError('more bytes than may be');

export async function* streamOf(chunks: Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

let lastId = 0;

/** A new name per call, from a day long past. */
export function nameBlob(changes: Partial<BlobName> & { stem?: string; folder?: string } = {}): BlobName {
  const fileId = changes.fileId ?? String(++lastId).padStart(20, 'A');
  const stem = changes.stem === undefined ? '' : `${changes.stem}-`;
  const folder = changes.folder === undefined ? '' : `${changes.folder}/`;
  const createdAt = Date.UTC(2024, 1, 29, 23, 59, 59, 999);
  return {
    project: 'default',
    fileId,
    storageKey: `${folder}${stem}${fileId}.png`,
    createdAt,
    secret: null,
    ...changes,
  };
}

export async function putBytes(blobs: OpenBlobs, place: string, ...chunks: Buffer[]): Promise<void> {
  await using staged = await stageBytes(blobs.staging, ...chunks);
  await blobs.store.put(place, staged, 'image/png');
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Stages the same bytes again on every call. */
export function useStaged(bytes: Buffer): () => Promise<StagedFile> {
  let directory = '';
  let staging: Staging;
  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'blobs-'));
    staging = await openStagingIn(directory);
  });
  after(() => rm(directory, { recursive: true, force: true }));
  return () => stageBytes(staging, bytes);
}

export const openStagingIn = (directory: string): Promise<Staging> =>
  openStaging(path.join(directory, 'staging'));
