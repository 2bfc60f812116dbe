/**
 * Keeps blobs in a bucket of any S3-compatible store, under the names that the public sees, so that clients can read the bucket directly.
 * Uses only GET with ranges, HEAD, PUT, COPY, DELETE, ListObjectsV2 and, for large files, multipart uploads.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { Readable } from 'node:stream';
import {
  type BlobEntry,
  type BlobName,
  type BlobPlace,
  type BlobStore,
  type BlobVariant,
  type ByteRange,
  blobReadBytesMax,
  type PartialBlobs,
  type StagedFile,
  type Staging,
} from './blobStore.ts';
import { BlobStoreFailure } from './failures.ts';
import { S3Client } from './s3/client.ts';
import type { S3Config, S3Timeouts } from './s3/connection.ts';
import { copyObject } from './s3/copies.ts';
import {
  explainRefusedWrite,
  isTrial,
  nameBucket,
  pingBucket,
  requireBucket,
  requireWriting,
} from './s3/diagnosis.ts';
import { listKeys } from './s3/listing.ts';
import { openObjectStream } from './s3/objectStream.ts';
import { journalPrefix } from './s3/objects.ts';
import { partialsPrefix, S3Partials } from './s3/partials.ts';

/** No project has such a name: slugs begin with a letter or a digit. */
const variantsPrefix = '.variants/';
/** Holds `.private/<secret>/<file>`, which only this service reads. Even copies that the store makes are private. */
const privatePrefix = '.private/';
const quarantinePrefix = '.quarantine/';
const markKey = '.installation';
const besides = [quarantinePrefix, partialsPrefix, journalPrefix];
const filePattern = /^[0-9A-Za-z][^/]*\/(?:.*[/-])?(?<fileId>[0-9A-Za-z]{20})\.[0-9a-z]{1,5}$/su;
const variantPattern =
  /^\.variants\/[^/]+\/(?<fileId>[0-9A-Za-z]{20})\.(?<variant>[a-z][0-9a-z]*\.[0-9a-z]{1,5})$/;
const privatePattern =
  /^\.private\/[0-9A-Za-z]{20}\/(?<fileId>[0-9A-Za-z]{20})\.(?:(?<variant>[a-z][0-9a-z]*\.[0-9a-z]{1,5})|[0-9a-z]{1,5})$/;
/** Keys are never reused. */
const cacheControl = 'public, max-age=31536000, immutable';
const privateCacheControl = 'private, no-store';

export function openS3Blobs(config: S3Config, times?: S3Timeouts): BlobStore {
  return new S3Blobs(new S3Client(config, times), config);
}

/**
 * Resolves once the bucket exists and is accessible. Otherwise an error says what to change. If the bucket doesn't respond, it goes to
 * `reportOutage` and the store opens anyway.
 */
export async function openSeenBlobs(
  config: S3Config,
  reportOutage?: (sentence: string) => void,
): Promise<BlobStore> {
  const client = new S3Client(config);
  try {
    await requireBucket(client, config, reportOutage);
    return new S3Blobs(client, config);
  } catch (error) {
    client.close();
    throw error;
  }
}

class S3Blobs implements BlobStore {
  readonly #client: S3Client;
  readonly #config: S3Config;
  readonly title: string;

  get #bucket(): { client: S3Client; bucket: string } {
    return { client: this.#client, bucket: this.#config.bucket };
  }

  constructor(client: S3Client, config: S3Config) {
    this.#client = client;
    this.#config = config;
    this.title = nameBucket(config);
  }

  async readMark(): Promise<string | null> {
    const { status, text } = await this.#client.call({ method: 'GET', key: markKey }, [404]);
    return status === 404 ? null : text.trim();
  }

  async writeMark(installationId: string): Promise<void> {
    const text = `${installationId}\n`;
    const payload = {
      sizeBytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
      open: async () => Readable.from([Buffer.from(text)]),
    };
    const headers = { 'content-type': 'text/plain' };
    try {
      await this.#client.call({ method: 'PUT', key: markKey, headers, payload });
    } catch (error) {
      throw explainRefusedWrite(error, this.#config);
    }
  }

  placeOf(name: BlobName, variant: BlobVariant | null): BlobPlace {
    if (variant !== null) return `${beginVariants(name)}${variant}`;
    if (name.secret === null) return `${name.project}/${name.storageKey}`;
    return `${privatePrefix}${name.secret}/${name.fileId}${path.posix.extname(name.storageKey)}`;
  }

  isPlaceOf(place: BlobPlace, name: BlobName): boolean {
    return place === this.placeOf(name, null) || place.startsWith(beginVariants(name));
  }

  async findVariants(name: BlobName, variants: readonly BlobVariant[]): Promise<BlobVariant[]> {
    const found: BlobVariant[] = [];
    const prefix = beginVariants(name);
    for await (const { key } of listKeys(this.#client, prefix)) {
      const variant = key.slice(prefix.length);
      if (variants.includes(variant)) found.push(variant);
    }
    return found;
  }

  async copy(from: BlobPlace, to: BlobPlace, mimeType: string): Promise<boolean> {
    if (from === to) return (await this.size(from)) !== null;
    // Sets new headers on the copy, because caches must not store private blobs.
    return await copyObject(this.#bucket, from, { key: to, headers: describeBlob(to, mimeType) });
  }

  async put(place: BlobPlace, staged: StagedFile, mimeType: string): Promise<void> {
    // Some stores lack conditional PUT. Places hold random ids, so no other call comes between these two.
    if ((await this.size(place)) !== null) throw existsError();
    const { file, sizeBytes, sha256 } = staged;
    await this.#client.call({
      method: 'PUT',
      key: place,
      headers: describeBlob(place, mimeType),
      payload: { sizeBytes, sha256, open: () => file.stream() },
    });
  }

  async size(place: BlobPlace): Promise<number | null> {
    const { status, headers } = await this.#client.call({ method: 'HEAD', key: place }, [404]);
    return status === 404 ? null : Number(headers['content-length']);
  }

  async read(place: BlobPlace, range: ByteRange): Promise<Readable | null> {
    return openObjectStream(this.#client, place, range);
  }

  async readBytes(place: BlobPlace, range: ByteRange): Promise<Buffer | null> {
    const lengthBytes = range.end - range.start;
    if (lengthBytes > blobReadBytesMax) throw new Error(`Read ${lengthBytes} bytes as a stream.`);
    const stream = await openObjectStream(this.#client, place, range);
    if (stream === null) return null;
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async delete(place: BlobPlace): Promise<boolean> {
    if ((await this.size(place)) === null) return false;
    await this.#client.call({ method: 'DELETE', key: place }, [404]);
    return true;
  }

  async *list(after: BlobPlace | null = null): AsyncGenerator<BlobEntry> {
    for await (const { place, ...entry } of this.#listBlobs('', after)) {
      if (!isBeside(place)) yield { place, ...entry };
    }
  }

  async *listQuarantine(): AsyncGenerator<BlobEntry> {
    yield* this.#listBlobs(quarantinePrefix);
  }

  async *#listBlobs(prefix: string, after: string | null = null): AsyncGenerator<BlobEntry> {
    for await (const { key, ...facts } of listKeys(this.#client, prefix, after))
      yield { ...entryOf(key.slice(prefix.length)), ...facts };
  }

  /** Uses the store's time, because the store stamps the copy. */
  quarantine(place: BlobPlace, _now: number): Promise<boolean> {
    return this.#move(place, `${quarantinePrefix}${place}`);
  }

  async restore(place: BlobPlace): Promise<boolean> {
    if ((await this.size(place)) !== null) throw existsError();
    return this.#move(`${quarantinePrefix}${place}`, place);
  }

  purge(place: BlobPlace): Promise<boolean> {
    return this.delete(`${quarantinePrefix}${place}`);
  }

  async #move(from: string, to: string): Promise<boolean> {
    if (!(await copyObject(this.#bucket, from, { key: to, headers: null }))) return false;
    await this.#client.call({ method: 'DELETE', key: from }, [404]);
    return true;
  }

  openPartials(staging: Staging): PartialBlobs {
    return new S3Partials({
      client: this.#client,
      bucket: this.#config.bucket,
      staging,
      listKeys: prefix => listKeys(this.#client, prefix),
      describe: describeBlob,
    });
  }

  check(): Promise<void> {
    return pingBucket(this.#client, this.#config);
  }

  checkWriting(): Promise<void> {
    return requireWriting(this.#client, this.#config);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.close();
  }
}

/** True if the key belongs to something other than a blob. */
function isBeside(key: string): boolean {
  return key === markKey || isTrial(key) || besides.some(prefix => key.startsWith(prefix));
}

/** Returns the key prefix of a file's variants. */
function beginVariants({ project, fileId, secret }: BlobName): string {
  return secret === null ? `${variantsPrefix}${project}/${fileId}.` : `${privatePrefix}${secret}/${fileId}.`;
}

function describeBlob(place: BlobPlace, mimeType: string): Record<string, string> {
  const caching = place.startsWith(privatePrefix) ? privateCacheControl : cacheControl;
  return { 'content-type': mimeType, 'cache-control': caching };
}

function entryOf(place: BlobPlace): Pick<BlobEntry, 'place' | 'fileId' | 'variant'> {
  const parts = (variantPattern.exec(place) ?? privatePattern.exec(place) ?? filePattern.exec(place))?.groups;
  return { place, fileId: parts?.fileId ?? null, variant: parts?.variant ?? null };
}

function existsError(): BlobStoreFailure {
  return new BlobStoreFailure('blob_exists', 'The service tried to store a blob twice.');
}
