/** Undoes the Content-Encoding of a log request's body, within limits of memory. */
import zlib from 'node:zlib';
import { Gate } from '@tapedeck/gate';
import { limits, ServiceError } from '../../vocabulary.ts';
import { crowdedError, HeldBytes } from './heldBytes.ts';

type Options = { maxOutputLength: number; info: true };
type Decoder = (bytes: Buffer, options: Options, callback: zlib.CompressCallback) => void;

/** The caller disposes of it when its entries are stored or refused, which lets the next large body in. */
export type DecodedBody = Disposable & { bytes: Buffer };

const decoders = new Map<string, Decoder>([
  ['gzip', zlib.gunzip],
  ['x-gzip', zlib.gunzip],
  // By the standard deflate comes in zlib's wrapping; some clients leave that out.
  ['deflate', (bytes, ...rest) => (hasZlibHeader(bytes) ? zlib.inflate : zlib.inflateRaw)(bytes, ...rest)],
  ['br', zlib.brotliDecompress],
  ['zstd', zlib.zstdDecompress],
]);

/** For bodies of up to `briefBodyBytesMax`, while they are decoded. All services of a process share its memory and this gate. */
const briefGate = new Gate(limits.briefDecodingsMax);
/** For larger bodies, until their entries are stored; shared as well. */
const largeGate = new Gate(limits.largeDecodingsMax, { leavesRoom: true });

export type SentBody = {
  bytes: Buffer;
  contentEncoding: string | undefined;
  /** Who has a turn with it, among all whose bodies are large. */
  holder: string;
};

/** Undoes the content encoding. */
export async function decodeBody({ bytes: sent, contentEncoding, holder }: SentBody): Promise<DecodedBody> {
  const { encoding, decoder } = findDecoder(contentEncoding);
  if (sent.length > limits.logBatchBytesMax) throw tooLargeError();
  if (decoder === null) return await takeInTurn(sent, holder);
  const decode = async (bytesMax: number) => {
    try {
      return await decodeWhole(decoder, sent, bytesMax);
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE') return null;
      throw new ServiceError('bad_request', `The body is not what its Content-Encoding ${encoding} says.`, {
        cause,
      });
    }
  };
  const bytes = sent.length <= limits.briefBodyBytesMax ? await decodeBrief(decode, holder) : null;
  return bytes ? { bytes, [Symbol.dispose]() {} } : decodeLarge(decode, holder, sent.length);
}

/** Lets a large body that is not encoded wait for its turn, because its parsed values take several times its bytes. */
async function takeInTurn(bytes: Buffer, holder: string): Promise<DecodedBody> {
  const pass = bytes.length <= limits.briefBodyBytesMax ? null : await enterLarge(holder, bytes.length);
  return { bytes, [Symbol.dispose]: () => pass?.[Symbol.dispose]() };
}

/** Throws 415 for an unknown Content-Encoding. Callers that know the headers check it before they read the body. */
export function requireKnownEncoding(contentEncoding: string | undefined): void {
  findDecoder(contentEncoding);
}

/** `decoder` is null for a body without a content encoding. */
function findDecoder(contentEncoding: string | undefined): { encoding: string; decoder: Decoder | null } {
  const encoding = contentEncoding?.trim().toLowerCase() || 'identity';
  const decoder = encoding === 'identity' ? null : decoders.get(encoding);
  if (decoder !== undefined) return { encoding, decoder };
  const sentence = 'Content-Encoding must be one of gzip, zstd, br and deflate.';
  throw new ServiceError('unsupported_content_type', sentence);
}

/**
 * Decodes all bytes: several gzip members, or zstd frames, are one body. Bytes behind the end are refused, except for the
 * zeros that some tools pad gzip with.
 */
function decodeWhole(decoder: Decoder, sent: Buffer, bytesMax: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  decoder(sent, { maxOutputLength: bytesMax, info: true }, (error, result) => {
    if (error) return reject(error);
    // Its types do not know what `info` makes of the result.
    const { buffer, engine } = result as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    const rest = sent.subarray(engine.bytesWritten);
    if (rest.length === 0 || (decoder === zlib.gunzip && isZeros(rest))) resolve(buffer);
    else reject(new Error('Bytes are left behind the end.'));
  });
  return promise;
}

type Decode = (bytesMax: number) => Promise<Buffer | null>;

/** Tries the body as a brief one first, so that brief bodies do not wait for large ones. null: it is large. */
async function decodeBrief(decode: Decode, holder: string): Promise<Buffer | null> {
  using _pass = await briefGate.enter(holder);
  return await decode(limits.briefBodyBytesMax);
}

/** Decodes in turn: a few kilobytes may become ten megabytes, whose parsed values take many times as much. */
async function decodeLarge(decode: Decode, holder: string, sentBytes: number): Promise<DecodedBody> {
  const pass = await enterLarge(holder, sentBytes);
  try {
    const bytes = await decode(limits.logBatchBytesMax);
    if (bytes === null) throw tooLargeError();
    return { bytes, [Symbol.dispose]: () => pass[Symbol.dispose]() };
  } catch (error) {
    pass[Symbol.dispose]();
    throw error;
  }
}

async function enterLarge(holder: string, sentBytes: number): Promise<Disposable> {
  const held = new HeldBytes(holder);
  try {
    if (!held.add(sentBytes)) throw crowdedError();
    return await largeGate.enter(holder);
  } finally {
    held.letGo();
  }
}

function isZeros(bytes: Buffer): boolean {
  return bytes.equals(Buffer.alloc(bytes.length));
}

function hasZlibHeader(bytes: Buffer): boolean {
  return bytes.length >= 2 && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

function tooLargeError(): ServiceError {
  return new ServiceError(
    'body_too_large',
    `The body may be at most ${limits.logBatchBytesMax} bytes long, decoded.`,
  );
}
