/** Copies blobs from a store into a bucket, in one pass and without a temporary file. Also verifies copies. */
import { createHash } from 'node:crypto';
import { type Readable, Transform } from 'node:stream';
import type { BlobPlace, BlobStore, StagedFile } from './blobStore.ts';

/** Facts about a blob that are known before reading it. */
export type KnownBlob = { sizeBytes: number; sha256: string; mimeType: string };

/** `missing` and `damaged`: the source lacks the expected bytes, and nothing was copied. */
type CopyOutcome = 'copied' | 'missing' | 'damaged';

type Route = { from: BlobStore; to: BlobStore };

/** Copies a blob. The target must take bytes as a stream, so it can't be a disk store. The caller has already compared any blob at its place. */
export async function copyBlob(
  { from, to }: Route,
  places: { from: BlobPlace; to: BlobPlace },
  blob: KnownBlob,
): Promise<CopyOutcome> {
  const sizeBytes = await from.size(places.from);
  if (sizeBytes === null) return 'missing';
  if (sizeBytes !== blob.sizeBytes) return 'damaged';
  let sent = '';
  const open = async () => {
    const hash = createHash('sha256');
    const hashed = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        done(null, chunk);
      },
      flush(done) {
        sent = hash.digest('hex');
        done();
      },
    });
    const bytes = await from.read(places.from, { start: 0, end: sizeBytes });
    if (bytes === null) throw new Error('The blob was deleted while it was being copied.');
    bytes.once('error', error => hashed.destroy(error));
    hashed.once('close', () => bytes.destroy());
    return bytes.pipe(hashed);
  };
  try {
    await to.put(places.to, streamOnly(blob, open), blob.mimeType);
  } catch (error) {
    if ((await from.size(places.from)) === null) return 'missing'; // deleted during the copy
    // A bucket refuses bytes that don't match the given hash.
    if (sent !== '' && sent !== blob.sha256) return 'damaged';
    throw error;
  }
  if (sent === blob.sha256) return 'copied';
  await to.delete(places.to);
  return 'damaged';
}

/** Reads the whole blob and checks that its size and hash are as expected. */
export async function isSameBlob(store: BlobStore, place: BlobPlace, blob: KnownBlob): Promise<boolean> {
  if ((await store.size(place)) !== blob.sizeBytes) return false;
  const bytes = await store.read(place, { start: 0, end: blob.sizeBytes });
  if (bytes === null) return false;
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest('hex') === blob.sha256;
}

/** Wraps the stream as a staged file. A bucket only uses its stream. */
function streamOnly({ sizeBytes, sha256 }: KnownBlob, stream: () => Promise<Readable>): StagedFile {
  const refuse = () => Promise.reject(new Error('A copied blob is only available as a stream.'));
  const nothing = async () => undefined;
  return {
    sizeBytes,
    sha256,
    read: refuse,
    file: {
      appendBytes: 0,
      append: refuse,
      overwrite: refuse,
      read: refuse,
      stream,
      sync: nothing,
      moveTo: refuse,
      [Symbol.asyncDispose]: nothing,
    },
    [Symbol.asyncDispose]: nothing,
  };
}
