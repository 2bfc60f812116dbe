/** A folder of a bucket for files whose names the caller chooses. */
import type { Readable } from 'node:stream';
import { S3Client } from './client.ts';
import type { S3Config } from './connection.ts';
import { nameBucket, requireBucket } from './diagnosis.ts';
import { listKeys } from './listing.ts';
import { openObjectStream } from './objectStream.ts';

/** The store may call `open` again. */
type ObjectContent = { sizeBytes: number; sha256: string; open(): Promise<Readable> };

export type ObjectFolder = AsyncDisposable & {
  /** The folder's name in messages: `the bucket backups at https://…`. */
  readonly title: string;
  put(name: string, content: ObjectContent): Promise<void>;
  /** Returns null if there is no such object. */
  read(name: string, sizeBytes: number): Promise<Readable | null>;
  /** Reads a short object of unknown size. */
  readText(name: string): Promise<string | null>;
  /** Removes an object. A missing one is no error. */
  remove(name: string): Promise<void>;
  list(): AsyncIterable<{ name: string; sizeBytes: number }>;
};

/** `prefix` is empty or ends with a slash. Rejects if the bucket is missing or inaccessible. */
export async function openObjectFolder(config: S3Config, prefix: string): Promise<ObjectFolder> {
  const client = new S3Client(config);
  try {
    await requireBucket(client, config);
  } catch (error) {
    client.close();
    throw error;
  }
  const keyOf = (name: string) => `${prefix}${name}`;
  return {
    title: nameBucket(config),
    async put(name, payload) {
      const headers = { 'content-type': 'application/octet-stream' };
      await client.call({ method: 'PUT', key: keyOf(name), headers, payload });
    },
    read: (name, sizeBytes) => openObjectStream(client, keyOf(name), { start: 0, end: sizeBytes }),
    async readText(name) {
      const { status, text } = await client.call({ method: 'GET', key: keyOf(name) }, [404]);
      return status === 404 ? null : text;
    },
    async remove(name) {
      await client.call({ method: 'DELETE', key: keyOf(name) }, [404]);
    },
    async *list() {
      for await (const { key, sizeBytes } of listKeys(client, prefix))
        yield { name: key.slice(prefix.length), sizeBytes };
    },
    async [Symbol.asyncDispose]() {
      client.close();
    },
  };
}
