/** Reads bodies of any length piece by piece. Holds only one piece and the bytes after it. */
import type { Duplex, Readable } from 'node:stream';
import zlib from 'node:zlib';
import { BodyFailure } from './bodyFailure.ts';
import { HeldBytes, overloadedError } from './bodyMemory.ts';
import { hasZlibHeader } from './contentEncodings.ts';
import { readChunks } from './streamBodies.ts';

/** Cuts the bytes at suitable places. */
type Cutter = {
  readonly pendingBytes: number;
  /** Returns the complete pieces. */
  add(chunk: Buffer): readonly Buffer[];
  finish(): Buffer;
};

/** `isComplete`: the piece is the whole body. */
type BodyPiece = { bytes: Buffer; isComplete: boolean };

type PiecesOptions = {
  contentEncoding: string | undefined;
  cutter: Cutter;
  /** The owner of the bytes. */
  holder: string;
};

type Decoder = Duplex;

export const zstdWindowLogMax = 23; // 8 MiB, the limit that web decoders use

/** `start`: the first bytes. */
const decoders: Readonly<Record<string, (start: Buffer) => Decoder>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: start => (hasZlibHeader(start) ? zlib.createInflate() : zlib.createInflateRaw()),
  br: () => zlib.createBrotliDecompress(),
  zstd: () =>
    zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: zstdWindowLogMax } }),
};

/** An empty body is one empty piece. */
export async function* readPieces(stream: Readable, options: PiecesOptions): AsyncGenerator<BodyPiece> {
  const { cutter, holder } = options;
  let held = new HeldBytes(holder);
  let isComplete = true;
  try {
    for await (const chunk of decodeChunks(stream, options.contentEncoding)) {
      if (!held.add(chunk.length)) throw overloadedError();
      for (const bytes of cutter.add(chunk)) {
        isComplete = false;
        yield { bytes, isComplete };
      }
      held.release();
      held = new HeldBytes(holder);
      held.add(cutter.pendingBytes);
    }
    const rest = cutter.finish();
    if (isComplete || rest.length > 0) yield { bytes: rest, isComplete };
  } finally {
    held.release();
  }
}

/** Decodes a body as it arrives. */
export async function* decodeChunks(
  stream: Readable,
  contentEncoding: string | undefined,
): AsyncGenerator<Buffer> {
  const encoding = contentEncoding?.trim().toLowerCase() || 'identity';
  const openDecoder = decoders[encoding];
  if (openDecoder === undefined) {
    yield* readChunks(stream);
    return;
  }
  const { start, chunks } = await readStart(readChunks(stream));
  const decoder = openDecoder(start);
  feed(decoder, chunks).catch(error => decoder.destroy(error));
  try {
    yield* decoder;
  } catch (cause) {
    if (cause instanceof BodyFailure) throw cause;
    throw new BodyFailure('bad_request', `The body does not match its Content-Encoding ${encoding}.`, {
      cause,
    });
  }
}

const startBytes = 2; // they tell raw deflate from zlib's format

async function readStart(
  chunks: AsyncGenerator<Buffer>,
): Promise<{ start: Buffer; chunks: AsyncIterable<Buffer> }> {
  let start: Buffer = Buffer.alloc(0);
  for (let isOver = false; start.length < startBytes && !isOver; ) {
    const { value, done } = await chunks.next();
    if (done) isOver = true;
    else start = Buffer.concat([start, value]);
  }
  async function* readAll() {
    yield start;
    yield* chunks;
  }
  return { start, chunks: readAll() };
}

/** Keeps the request open if the decoder ends early, so that the server can still send a refusal. */
async function feed(decoder: Decoder, chunks: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of chunks) {
    if (!decoder.write(chunk)) await untilWritable(decoder);
    if (decoder.destroyed) return;
  }
  decoder.end();
}

function untilWritable(decoder: Decoder): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const settle = () => {
    decoder.off('drain', settle).off('close', settle);
    resolve();
  };
  decoder.on('drain', settle).on('close', settle);
  return decoder.destroyed ? Promise.resolve() : promise;
}
