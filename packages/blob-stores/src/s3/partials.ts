/**
 * Keeps unfinished uploads as objects of a few megabytes beside the blobs. Any node can continue any upload, and the bucket joins the
 * objects at the end. The number of stored bytes tells which objects exist, so nodes need not tell each other.
 */
import { Readable } from 'node:stream';
import type {
  BlobPlace,
  ByteRange,
  Partial,
  PartialBlobs,
  PartialBytes,
  StagedFile,
  Staging,
} from '../blobStore.ts';
import { BlobStoreFailure } from '../failures.ts';
import type { S3Client } from './client.ts';
import { copyObject, joinObjects } from './copies.ts';
import { openObjectStream } from './objectStream.ts';

export const partialsPrefix = '.partial/';

/** The most that a crash may lose. Buckets join parts only from 5 MiB up, and 10,000 of these hold 156 GiB. */
const partBytes = 16 * 1024 * 1024;
const numberDigits = 5;

type S3PartialsDeps = {
  client: S3Client;
  bucket: string;
  staging: Staging;
  listKeys(prefix: string): AsyncIterable<{ key: string }>;
  /** The headers of a blob. */
  describe(place: BlobPlace, mimeType: string): Record<string, string>;
};

/** The bytes of one object, from `number * partBytes` on. */
type Part = { number: number; sizeBytes: number };

export class S3Partials implements PartialBlobs {
  readonly #deps: S3PartialsDeps;

  constructor(deps: S3PartialsDeps) {
    this.#deps = deps;
  }

  /** Collects the next part while the last one is being sent. */
  async append(
    { name, sizeBytes }: Partial,
    { chunks, reportStored, isOnTrial }: PartialBytes,
  ): Promise<void> {
    const source = new CutSource(chunks);
    let position = sizeBytes;
    let sending: Promise<void> = Promise.resolve();
    while (!source.isOver) {
      const begun = { number: Math.floor(position / partBytes), sizeBytes: position % partBytes };
      const staged = await this.#collect(name, begun, source);
      await sending.catch(async error => {
        await staged[Symbol.asyncDispose]();
        throw error;
      });
      position = begun.number * partBytes + staged.sizeBytes;
      const kept = position;
      sending = this.#send(name, begun, staged).then(async isLonger => {
        if (!isLonger) return;
        await reportStored(kept);
        if (begun.sizeBytes > 0 && !isOnTrial) await this.#forget(keyOf(name, begun));
      });
      sending.catch(() => {}); // awaited in the next round
    }
    await sending;
    source.throwIfBroken();
  }

  /** Collects a part. If the last part was incomplete, reads it again and completes it. */
  #collect(name: string, begun: Part, source: CutSource): Promise<StagedFile> {
    const space = partBytes - begun.sizeBytes;
    const kept = this.#readPart(keyOf(name, begun), { start: 0, end: begun.sizeBytes });
    async function* join(): AsyncGenerator<Uint8Array> {
      if (begun.sizeBytes > 0) yield* kept;
      yield* source.take(space);
    }
    return this.#deps.staging.stage(join(), {
      bytesMax: partBytes,
      refuse: () => new Error('A part is too long.'),
    });
  }

  /** Returns false if there are no new bytes. */
  async #send(name: string, begun: Part, staged: StagedFile): Promise<boolean> {
    await using sent = staged;
    const { sizeBytes, sha256, file } = sent;
    if (sizeBytes === begun.sizeBytes) return false;
    await this.#deps.client.call({
      method: 'PUT',
      key: keyOf(name, { number: begun.number, sizeBytes }),
      headers: { 'content-type': 'application/octet-stream' },
      payload: { sizeBytes, sha256, open: () => file.stream() },
    });
    return true;
  }

  /** If this fails, the part goes with the upload. */
  async #forget(key: string): Promise<void> {
    await this.#deps.client.call({ method: 'DELETE', key }, [404]).catch(() => undefined);
  }

  async read(partial: Partial, range: ByteRange): Promise<Readable> {
    return Readable.from(this.#readRange(partial, range), { objectMode: false });
  }

  async *#readRange(partial: Partial, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
    for (const part of listParts(partial)) {
      const before = part.number * partBytes;
      const range = { start: Math.max(start - before, 0), end: Math.min(end - before, part.sizeBytes) };
      if (range.start < range.end) yield* this.#readPart(keyOf(partial.name, part), range);
    }
  }

  async *#readPart(key: string, range: ByteRange): AsyncGenerator<Uint8Array> {
    const stream = await openObjectStream(this.#deps.client, key, range);
    if (stream === null) throw lostError();
    yield* stream;
  }

  async isThere(partial: Partial): Promise<boolean> {
    const missing = new Set(listParts(partial).map(part => keyOf(partial.name, part)));
    for await (const { key } of this.#deps.listKeys(`${partialsPrefix}${partial.name}/`)) missing.delete(key);
    // Some stores list new objects late, and a lost upload is forgotten, so each missing part is looked up.
    for (const key of missing) {
      const { status } = await this.#deps.client.call({ method: 'HEAD', key }, [404]);
      if (status === 404) return false;
    }
    return true;
  }

  async promote(
    partial: Partial,
    { place, mimeType }: { place: BlobPlace; mimeType: string },
  ): Promise<void> {
    const keys = listParts(partial).map(part => keyOf(partial.name, part));
    const { client, bucket, describe } = this.#deps;
    const target = { key: place, headers: describe(place, mimeType) };
    const [first = ''] = keys;
    const isThere =
      keys.length === 1
        ? await copyObject({ client, bucket }, first, target)
        : await joinObjects(
            { client, bucket },
            keys.map(key => ({ key })),
            target,
          );
    if (!isThere) throw lostError();
  }

  async delete(name: string): Promise<boolean> {
    let isThere = false;
    for await (const { key } of this.#deps.listKeys(`${partialsPrefix}${name}/`)) {
      await this.#deps.client.call({ method: 'DELETE', key }, [404]);
      isThere = true;
    }
    return isThere;
  }

  async *list(): AsyncGenerator<string> {
    let last = '';
    for await (const { key } of this.#deps.listKeys(partialsPrefix)) {
      const [name = ''] = key.slice(partialsPrefix.length).split('/', 1);
      if (name !== last) yield name;
      last = name;
    }
  }
}

/** Takes chunks in pieces of a given size. Reports an error of the chunks at the end. */
class CutSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #left: Uint8Array | null = null;
  #broken: { error: unknown } | null = null;
  isOver = false;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async *take(bytesMax: number): AsyncGenerator<Uint8Array> {
    for (let remaining = bytesMax; remaining > 0; ) {
      const chunk = this.#left ?? (await this.#next());
      if (chunk === null) return;
      this.#left = chunk.length > remaining ? chunk.subarray(remaining) : null;
      const taken = chunk.subarray(0, remaining);
      remaining -= taken.length;
      yield taken;
    }
  }

  async #next(): Promise<Uint8Array | null> {
    try {
      const { value, done } = await this.#chunks.next();
      if (!done) return value;
    } catch (error) {
      this.#broken = { error };
    }
    this.isOver = true;
    return null;
  }

  throwIfBroken(): void {
    if (this.#broken !== null) throw this.#broken.error;
  }
}

function listParts({ sizeBytes }: Partial): Part[] {
  return Array.from({ length: Math.ceil(sizeBytes / partBytes) }, (_, number) => ({
    number,
    sizeBytes: Math.min(sizeBytes - number * partBytes, partBytes),
  }));
}

/** The key includes the size, so that a node that lost its hold and sends less can't replace anything. */
function keyOf(name: string, { number, sizeBytes }: Part): string {
  return `${partialsPrefix}${name}/${writeNumber(number)}-${sizeBytes}`;
}

function writeNumber(number: number): string {
  return String(number).padStart(numberDigits, '0');
}

function lostError(): BlobStoreFailure {
  return new BlobStoreFailure(
    'blobs_unavailable',
    'Bytes of this upload are no longer in the file store: start a new upload.',
  );
}
