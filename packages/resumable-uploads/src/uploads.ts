/** Receives the bytes of uploads and reports how many are stored. The caller knows what an upload is for. */
import type { Partial, PartialBlobs } from '@tapedeck/blob-stores';
import { checkChunks } from './checksums.ts';
import { lostError, noUploadError, ResumableFailure } from './failures.ts';
import type { Chunk } from './protocol.ts';
import type { Upload, UploadRecords } from './records.ts';
import { UploadHashes } from './uploadHashes.ts';
import { type HeldUpload, Holds } from './uploadLocks.ts';

/** Checks an upload by its first bytes while the others are arriving. */
const headBytesMax = 64 * 1024; // CONTRACT.md, 11.1
const idsPerTurn = 500; // one query's worth

type ResumableDeps = {
  records: UploadRecords;
  partials: PartialBlobs;
  now(): number;
  /** An upload without progress expires after this. */
  idleMsMax: number;
  bytesMax: number;
  /** Hears of each upload that went without a result. */
  notifyForgotten(upload: Upload): Promise<void>;
};

export type SentChunk = Chunk & {
  chunks: AsyncIterable<Uint8Array>;
  /** Makes the chunks fail at once. */
  cutOff(): void;
};

/** All bytes of an upload, which the caller still holds. */
export type ArrivedBytes = {
  upload: Upload;
  holder: string;
  partial: Partial;
  /** Hexadecimal. */
  sha256: string;
  read(position: number, lengthBytes: number): Promise<Buffer>;
};

/** Callbacks of the application that receives uploads. */
export type UploadUse = {
  /** Throws if a file that begins with `head` is not acceptable. `sizeBytes` is its whole size if known. */
  check(head: Uint8Array, sizeBytes: number | null): Promise<void>;
  /** Returns the result once it is recorded. */
  finish(bytes: ArrivedBytes): Promise<string>;
  /** True if retrying can't help. The upload is then deleted. */
  isFinal(error: unknown): boolean;
};

export class ResumableUploads implements AsyncDisposable {
  readonly #deps: ResumableDeps;
  readonly #holds: Holds;
  readonly #hashes = new UploadHashes();

  constructor(deps: ResumableDeps) {
    this.#deps = deps;
    this.#holds = new Holds(deps);
  }

  async find(id: string): Promise<Upload> {
    const upload = await this.#deps.records.find(id);
    if (upload === null || upload.expiresAt <= this.#deps.now()) throw noUploadError();
    return upload;
  }

  /** Prepares an upload for a resume: stops a request that still waits for bytes, and finishes a complete upload. */
  async settle(id: string, use: UploadUse): Promise<Upload> {
    await this.#holds.interrupt(id, { always: false });
    const upload = await this.find(id);
    if (upload.result !== null) return upload;
    if (upload.sizeBytes !== upload.lengthBytes && (await this.#hasBytes(upload))) return upload;
    await using held = await this.#holds.take(id);
    await this.#requireBytes(held);
    await this.#finishIfWhole(held, use);
    return held.upload;
  }

  /** Resolves once all sent bytes are stored, and the upload is finished if it is complete. If the chunks fail, the earlier ones stay. */
  async receive(id: string, sent: SentChunk, use: UploadUse): Promise<Upload> {
    await this.#holds.awaitClosing(id);
    await using held = await this.#holds.take(id);
    await this.#requirePlace(held, sent);
    await this.#requireBytes(held);
    held.letBeCut(sent.cutOff);
    if (sent.declaredBytes !== 0) await this.#append(held, sent, use);
    await this.#finishIfWhole(held, use);
    return held.upload;
  }

  /** Forgets an upload whose stored bytes are gone, because its client has to start again. */
  async #requireBytes(held: HeldUpload): Promise<void> {
    if (await this.#hasBytes(held.upload)) return;
    await this.#forget(held);
    throw lostError();
  }

  async #hasBytes(upload: Upload): Promise<boolean> {
    if (upload.result !== null || upload.sizeBytes === 0) return true;
    return await this.#deps.partials.isThere(partialOf(upload));
  }

  async #requirePlace({ upload, progress }: HeldUpload, sent: SentChunk): Promise<void> {
    const { sizeBytes, expiresAt } = upload;
    if (sent.offset !== sizeBytes) {
      throw new ResumableFailure(
        'upload_offset_wrong',
        `The upload has ${sizeBytes} bytes: continue from there (Upload-Offset: ${sizeBytes}).`,
      );
    }
    if (sent.lengthBytes !== null && sent.lengthBytes !== upload.lengthBytes) {
      if (upload.lengthBytes !== null || sent.lengthBytes < sizeBytes)
        throw new ResumableFailure('bad_request', 'The length of an upload cannot change once it is known.');
      if (sent.lengthBytes > this.#deps.bytesMax) throw tooLongError(this.#deps.bytesMax);
      await progress({ sizeBytes, expiresAt, lengthBytes: sent.lengthBytes });
    }
    const bytesMax = upload.lengthBytes ?? this.#deps.bytesMax;
    if (sizeBytes + (sent.declaredBytes ?? 0) > bytesMax) throw tooLongError(bytesMax);
  }

  async #append(held: HeldUpload, sent: SentChunk, use: UploadUse): Promise<void> {
    const { partials, now, idleMsMax } = this.#deps;
    const { upload } = held;
    const isOnTrial = sent.checksum !== null;
    const partial = partialOf(upload);
    let kept = partial.sizeBytes;
    const keep = () =>
      held.progress({ sizeBytes: kept, lengthBytes: upload.lengthBytes, expiresAt: now() + idleMsMax });
    let refusal: unknown;
    const check = (head: Uint8Array) =>
      use.check(head, upload.lengthBytes).catch(error => {
        refusal = error;
        throw error;
      });
    const passed = this.#pass(held, sent.chunks, check);
    try {
      await partials.append(partial, {
        chunks: sent.checksum === null ? passed : checkChunks(passed, sent.checksum),
        isOnTrial,
        reportStored: async sizeBytes => {
          kept = sizeBytes;
          if (!isOnTrial) await keep();
        },
      });
      if (isOnTrial && kept > partial.sizeBytes) await keep();
    } catch (error) {
      if (error === refusal && use.isFinal(error)) await this.#forget(held);
      throw error;
    } finally {
      this.#hashes.keepOnly(upload.id, upload.sizeBytes);
    }
  }

  /** Counts and hashes the chunks, and has the beginning checked. */
  async *#pass(
    held: HeldUpload,
    chunks: AsyncIterable<Uint8Array>,
    check: (head: Uint8Array) => Promise<void>,
  ): AsyncGenerator<Uint8Array> {
    const { id, lengthBytes, sizeBytes } = held.upload;
    const bytesMax = lengthBytes ?? this.#deps.bytesMax;
    let position = sizeBytes;
    const head = sizeBytes < headBytesMax ? await this.#openHead(held.upload) : null;
    try {
      held.awaitBytes(true);
      for await (const chunk of chunks) {
        held.awaitBytes(false);
        if (position + chunk.length > bytesMax) throw tooLongError(bytesMax);
        this.#hashes.add(id, position, chunk);
        if (head?.add(chunk, position)) await check(head.bytes);
        position += chunk.length;
        yield chunk;
        held.awaitBytes(true);
      }
    } finally {
      held.close();
    }
  }

  async #openHead(upload: Upload): Promise<Head> {
    const head = new Head();
    if (upload.sizeBytes > 0) head.add(await this.#read(upload, 0, headBytesMax), 0);
    return head;
  }

  async #read(upload: Upload, position: number, lengthBytes: number): Promise<Buffer> {
    const end = Math.min(position + lengthBytes, upload.sizeBytes);
    if (position >= end) return Buffer.alloc(0);
    const chunks: Buffer[] = [];
    for await (const chunk of await this.#deps.partials.read(partialOf(upload), { start: position, end }))
      chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async #finishIfWhole(held: HeldUpload, use: UploadUse): Promise<void> {
    const { upload, holder } = held;
    if (upload.result !== null || upload.sizeBytes !== upload.lengthBytes) return;
    const partial = partialOf(upload);
    try {
      const sha256 = await this.#hashes.finish(upload, start =>
        this.#deps.partials.read(partial, { start, end: partial.sizeBytes }),
      );
      const read = (position: number, lengthBytes: number) => this.#read(upload, position, lengthBytes);
      upload.result = await use.finish({ upload, holder, partial, sha256, read });
    } catch (error) {
      if (use.isFinal(error)) await this.#forget(held);
      throw error;
    }
    await this.#deps.partials.delete(upload.id).catch(() => undefined); // the sweep removes leftovers
  }

  /** Ends an upload and stops the request that works on it. */
  async end(id: string): Promise<void> {
    await this.#holds.interrupt(id, { always: true });
    await using held = await this.#holds.take(id);
    if (held.upload.result !== null) {
      const sentence = 'The upload is finished: to delete the file, use its id or key.';
      throw new ResumableFailure('upload_finished', sentence);
    }
    await this.#forget(held);
  }

  async #forget(held: HeldUpload): Promise<void> {
    const { upload } = held;
    await held.forget();
    this.#hashes.forget(upload.id);
    await this.#deps.partials.delete(upload.id).catch(() => undefined); // the sweep removes leftovers
    if (upload.result === null) await this.#deps.notifyForgotten(upload);
  }

  async sweepExpired(signal: AbortSignal): Promise<void> {
    for (let afterId = ''; ; ) {
      const ids = await this.#deps.records.listExpired({ now: this.#deps.now(), afterId, limit: idsPerTurn });
      for (const id of ids) {
        signal.throwIfAborted();
        await this.#forgetExpired(id);
      }
      if (ids.length < idsPerTurn) return;
      afterId = ids.at(-1) ?? '';
    }
  }

  async #forgetExpired(id: string): Promise<void> {
    const held = await this.#holds.takeExpired(id);
    if (held === null) return;
    await using _held = held;
    await this.#forget(held);
  }

  /** Deletes bytes that belong to no upload. */
  async sweepLeftovers(signal: AbortSignal): Promise<void> {
    const { partials, records } = this.#deps;
    for await (const id of partials.list()) {
      signal.throwIfAborted();
      // The record of an upload exists before its first byte.
      const upload = this.#holds.has(id) ? 'under way' : await records.find(id);
      if (upload === null) await partials.delete(id);
    }
  }

  /** Stops the requests that work on uploads. Received bytes stay. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#holds.interruptAll();
  }
}

/** The beginning of a file. It is checked each time its length has quadrupled. */
class Head {
  readonly #buffer = Buffer.allocUnsafe(headBytesMax);
  #length = 0;
  #nextLook = 16; // the length of a signature

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Returns true if it is time to check again. */
  add(chunk: Uint8Array, position: number): boolean {
    if (position >= headBytesMax) return false;
    this.#buffer.set(chunk.subarray(0, headBytesMax - position), position);
    this.#length = Math.min(position + chunk.length, headBytesMax);
    if (this.#length < this.#nextLook) return false;
    this.#nextLook =
      this.#length === headBytesMax ? Number.POSITIVE_INFINITY : Math.min(this.#length * 4, headBytesMax);
    return true;
  }
}

function partialOf({ id, sizeBytes }: Upload): Partial {
  return { name: id, sizeBytes };
}

function tooLongError(bytesMax: number): ResumableFailure {
  return new ResumableFailure('file_too_large', `This upload may hold at most ${bytesMax} bytes.`);
}
