/** Peeks at the start of a body and puts it back, so that the body's reader sees it again. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import zlib from 'node:zlib';
import { Gate } from '@tapedeck/concurrency/gate';
import { zstdWindowLogMax } from './bodyReader.ts';
import { hasZlibHeader } from './contentEncodings.ts';

const headBytesMax = 16 * 1024; // as sent and decoded; a stream buffers this much of an unread body
const waitMsMax = 10_000; // the sender is not authenticated yet, so it may take no longer
const growthMin = 9 / 8; // so that a body in many small parts is checked about eighty times

/** Returns what it finds in the text, or undefined if it needs more. */
type Find<Found> = (text: string) => Found | undefined;

/** Resolves to null if the body ends, breaks off or arrives too slowly before `find` succeeds. */
export async function peekBody<Found>(request: IncomingMessage, find: Find<Found>): Promise<Found | null> {
  const signal = AbortSignal.timeout(waitMsMax);
  for (;;) {
    const isComplete = request.complete;
    const sent = look(request);
    const text = await decodeHead(sent.subarray(0, headBytesMax), request.headers['content-encoding']);
    const found = text === null ? null : find(text.toString('utf8', 0, headBytesMax));
    if (found !== undefined) return found;
    if (isComplete || sent.length >= headBytesMax) return null;
    if (!(await awaitMore(request, sent.length, signal))) return null;
  }
}

/** Puts the bytes back at once, because a fully read stream would end on the next tick. */
function look(request: IncomingMessage): Buffer {
  const waiting = request.readableLength;
  // Without an encoding, a stream returns buffers.
  const bytes = waiting > 0 ? (request.read(waiting) as Buffer | null) : null;
  if (bytes === null) return Buffer.alloc(0);
  request.unshift(bytes);
  return bytes;
}

/** Returns whether noticeably more bytes wait now, or the body is complete. */
async function awaitMore(request: IncomingMessage, bytes: number, signal: AbortSignal): Promise<boolean> {
  const wanted = Math.min(Math.ceil((bytes + 1) * growthMin), headBytesMax);
  const isMore = () => request.readableLength >= wanted || request.complete;
  await new Promise<void>(resolve => {
    const check = () => {
      if (!isMore() && !request.destroyed && !signal.aborted) return;
      request.off('readable', check).off('close', check);
      signal.removeEventListener('abort', check);
      resolve();
    };
    request.on('readable', check).on('close', check);
    signal.addEventListener('abort', check);
    check();
  });
  return isMore() && !request.destroyed;
}

const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH, ZSTD_d_windowLogMax, ZSTD_e_flush } = zlib.constants;

/** Decoders that return partial output if their input breaks off. */
const decoders: Readonly<Record<string, (head: Buffer) => Duplex>> = {
  gzip: () => zlib.createGunzip({ finishFlush: Z_SYNC_FLUSH }),
  'x-gzip': () => zlib.createGunzip({ finishFlush: Z_SYNC_FLUSH }),
  deflate: head =>
    hasZlibHeader(head)
      ? zlib.createInflate({ finishFlush: Z_SYNC_FLUSH })
      : zlib.createInflateRaw({ finishFlush: Z_SYNC_FLUSH }),
  br: () => zlib.createBrotliDecompress({ finishFlush: BROTLI_OPERATION_FLUSH }),
  zstd: () =>
    zlib.createZstdDecompress({
      finishFlush: ZSTD_e_flush,
      params: { [ZSTD_d_windowLogMax]: zstdWindowLogMax },
    }),
};

const decodingsMax = 4; // unauthenticated senders can make each take a few megabytes briefly
const gate = new Gate(decodingsMax);

/** Decodes as much as possible up to a limit. Returns null for an unknown encoding. */
async function decodeHead(head: Buffer, contentEncoding: string | undefined): Promise<Buffer | null> {
  const encoding = contentEncoding?.trim().toLowerCase() || 'identity';
  if (encoding === 'identity' || head.length === 0) return head;
  using _pass = await gate.enter('');
  const decoder = decoders[encoding]?.(head);
  if (decoder === undefined) return null;
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    decoder.end(head);
    // The decoder yields buffers.
    for await (const part of decoder as AsyncIterable<Buffer>) {
      parts.push(part);
      bytes += part.length;
      if (bytes >= headBytesMax) break; // this destroys the decoder
    }
  } catch {} // uses the partial output; the body's reader refuses the body later
  return Buffer.concat(parts);
}
