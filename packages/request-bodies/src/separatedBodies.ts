/** Reads bodies that contain files. Passes the files on as they arrive, and holds only the rest in memory. */
import type { Readable } from 'node:stream';
import { GatheredBytes } from '@tapedeck/fast-http';
import { BodyFailure } from './bodyFailure.ts';
import { HeldBytes, overloadedError, slowBodyError } from './bodyMemory.ts';
import { decodeChunks } from './bodyReader.ts';

/** `file`: a file begins. `content`: its next bytes. `rest`: bytes outside of files. */
type BodyPart = { kind: 'rest' | 'content'; bytes: Buffer } | { kind: 'file'; filename: string };

/** Finds the files in a body. */
type BodySeparator = {
  /** Bytes that it holds. */
  readonly pendingBytes: number;
  add(chunk: Buffer): readonly BodyPart[];
  /** Throws if the body ends too early. */
  finish(): readonly BodyPart[];
};

export type SeparatedFile = { filename: string; content: AsyncIterable<Buffer> };

type SeparationOptions = {
  contentEncoding: string | undefined;
  separator: BodySeparator;
  /** The owner of the rest's bytes. */
  holder: string;
  /** Limit for the decoded body with all files. */
  bytesMax: number;
  restBytesMax: number;
  /** Receives one file after the other. The reader skips what it leaves. */
  takeFile(file: SeparatedFile): Promise<void>;
};

/** Returns the rest. */
export async function readSeparated(stream: Readable, options: SeparationOptions): Promise<Buffer> {
  const slow = Promise.withResolvers<never>();
  slow.promise.catch(() => {}); // the reader of the next part gets the error
  const held = new HeldBytes(options.holder, () => slow.reject(slowBodyError()));
  const rest = new GatheredBytes(held);
  const parts = separate(stream, options, held);
  const reader = new PartReader(() => Promise.race([parts.next(), slow.promise]));
  try {
    await reader.advance();
    for (let part = reader.part; part !== null; part = reader.part) {
      if (part.kind === 'file') await receiveFile(reader, part.filename, options);
      else {
        if (!rest.add(part.bytes)) throw overloadedError();
        if (rest.length > options.restBytesMax)
          throw tooLargeError(options.restBytesMax, 'without its files');
        await reader.advance();
      }
    }
    return rest.take();
  } catch (error) {
    rest.drop();
    parts.return(null).catch(() => {}); // not awaited, because the next chunk may never come
    throw error;
  }
}

class PartReader {
  /** null: the body ended. */
  part: BodyPart | null = null;
  failure: { error: unknown } | null = null;
  readonly #next: () => Promise<IteratorResult<BodyPart, null>>;

  constructor(next: () => Promise<IteratorResult<BodyPart, null>>) {
    this.#next = next;
  }

  async advance(): Promise<void> {
    try {
      this.part = (await this.#next()).value;
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }

  async *readContent(): AsyncGenerator<Buffer> {
    for (; this.part?.kind === 'content'; await this.advance()) yield this.part.bytes;
  }
}

async function receiveFile(
  reader: PartReader,
  filename: string,
  { takeFile }: SeparationOptions,
): Promise<void> {
  await reader.advance();
  await takeFile({ filename, content: reader.readContent() });
  // The receiver may have taken a body that broke off for a bad file.
  if (reader.failure !== null) throw reader.failure.error;
  while (reader.part?.kind === 'content') await reader.advance();
}

async function* separate(
  stream: Readable,
  { contentEncoding, separator, bytesMax, holder }: SeparationOptions,
  held: HeldBytes,
): AsyncGenerator<BodyPart, null> {
  let bytes = 0;
  let pending = new HeldBytes(holder);
  try {
    for await (const chunk of decodeChunks(stream, contentEncoding)) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw tooLargeError(bytesMax, 'with its files');
      const parts = separator.add(chunk);
      pending.release();
      pending = new HeldBytes(holder);
      if (!pending.add(separator.pendingBytes)) throw overloadedError();
      for (const part of parts) if (part.kind === 'content') held.pass(part.bytes.length);
      yield* parts;
    }
    yield* separator.finish();
    return null;
  } finally {
    pending.release();
  }
}

function tooLargeError(bytesMax: number, what: string): BodyFailure {
  return new BodyFailure('body_too_large', `The body may hold at most ${bytesMax} bytes, ${what}.`);
}
