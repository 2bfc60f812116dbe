/** Small objects beside the blobs of a bucket. Callers write, read and remove them whole. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { S3Client } from './client.ts';
import { type S3Config, type S3Timeouts, s3Timeouts } from './connection.ts';
import { pingBucket, requireWriting } from './diagnosis.ts';
import { listKeys } from './listing.ts';

export type BucketObjects = AsyncDisposable & {
  /** Resolves once the bytes are stored. A second write must be the same. After a rejection, the object may exist. */
  put(name: string, bytes: Buffer): Promise<void>;
  /** Returns null if there is no such object. */
  read(name: string): Promise<Buffer | null>;
  /** Removes an object. A missing one is no error. */
  remove(name: string): Promise<void>;
  /** Lists the names that start with the folder, in order. */
  list(folder: string): AsyncIterable<string>;
  /** Rejects if the bucket doesn't answer, or takes no writes. */
  check(): Promise<void>;
};

/** Short timeouts, because a caller waits for the answer. */
const briefTimeouts: S3Timeouts = {
  ...s3Timeouts,
  waitMsMax: 2_000,
  attemptsMax: 3,
  connectMsMax: 2_000,
  idleMsMax: 4_000,
  callMsMax: 6_000,
};

const objectBytesMax = 128 * 1024 * 1024; // held in memory; actual objects are much smaller

/** No blob's name begins with this. */
export const journalPrefix = '.journal/';

export function openJournalObjects(config: S3Config): BucketObjects {
  const client = new S3Client(config, briefTimeouts);
  const keyOf = (name: string) => `${journalPrefix}${name}`;
  return {
    async put(name, bytes) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      await client.call({
        method: 'PUT',
        key: keyOf(name),
        headers: { 'content-type': 'application/octet-stream' },
        payload: { sizeBytes: bytes.length, sha256, open: async () => Readable.from([bytes]) },
      });
    },
    read: name => client.read({ method: 'GET', key: keyOf(name) }, objectBytesMax),
    async remove(name) {
      await client.call({ method: 'DELETE', key: keyOf(name) }, [404]);
    },
    async *list(folder) {
      for await (const { key } of listKeys(client, keyOf(folder))) yield key.slice(journalPrefix.length);
    },
    async check() {
      await pingBucket(client, config);
      await requireWriting(client, config);
    },
    async [Symbol.asyncDispose]() {
      client.close();
    },
  };
}
