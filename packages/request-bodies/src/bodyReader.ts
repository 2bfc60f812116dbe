/** Reads bodies of any length piece by piece. Holds only one piece and the bytes after it. */
import type { Duplex, Readable } from 'node:stream';
import zlib from 'node:zlib';
import { BodyFailure } from './bodyFailure.ts';
import { crowdedError, HeldBytes } from './heldBytes.ts';
import { readChunks } from './wholeBodies.ts';

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

const decoders: Readonly<Record<string, () => Decoder>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
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
      if (!held.add(chunk.length)) throw crowdedError();
      for (const bytes of cutter.add(chunk)) {
        isComplete = false;
        yield { bytes, isComplete };
      }
      held.letGo();
      held = new HeldBytes(holder);
      held.add(cutter.pendingBytes);
    }
    const rest = cutter.finish();
    if (isComplete || rest.length > 0) yield { bytes: rest, isComplete };
  } finally {
    held.letGo();
  }
}

async function* decodeChunks(stream: Readable, contentEncoding: string | undefined): AsyncGenerator<Buffer> {
  const encoding = contentEncoding?.trim().toLowerCase() || 'identity';
  const decoder = decoders[encoding]?.();
  if (decoder === undefined) {
    yield* readChunks(stream);
    return;
  }
  feed(decoder, readChunks(stream)).catch(error => decoder.destroy(error));
  try {
    yield* decoder;
  } catch (cause) {
    if (cause instanceof BodyFailure) throw cause;
    throw new BodyFailure('bad_request', `The body is not what its Content-Encoding ${encoding} says.`, {
      cause,
    });
  }
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
