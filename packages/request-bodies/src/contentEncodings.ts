/** Decodes the Content-Encoding of whole bodies, within memory limits that the holders share. */
import zlib from 'node:zlib';
import { Gate } from '@tapedeck/concurrency/gate';
import { BodyFailure } from './bodyFailure.ts';
import { HeldBytes, overloadedError } from './bodyMemory.ts';

type Options = { maxOutputLength: number; info: true };
type Decoder = (bytes: Buffer, options: Options, callback: zlib.CompressCallback) => void;

/** The caller disposes of it when it no longer needs the bytes, which admits the next large body. */
export type DecodedBody = Disposable & { bytes: Buffer };

const decoders = new Map<string, Decoder>([
  ['gzip', zlib.gunzip],
  ['x-gzip', zlib.gunzip],
  // The standard requires zlib's format for deflate, but some clients send raw deflate.
  ['deflate', (bytes, ...rest) => (hasZlibHeader(bytes) ? zlib.inflate : zlib.inflateRaw)(bytes, ...rest)],
  ['br', zlib.brotliDecompress],
  ['zstd', zlib.zstdDecompress],
]);

const briefDecodingsMax = 16; // 16 MiB in total, if a brief body may have 1 MiB
export const largeDecodingsMax = 3; // one holder may use two; 10 MiB of JSON and its values take about 60 MiB until handled
/** Admits brief bodies while they are decoded. All services of a process share its memory and this gate. */
const briefGate = new Gate(briefDecodingsMax);
/** Admits larger bodies until their bytes are disposed of. Also shared. */
const largeGate = new Gate(largeDecodingsMax, { leavesRoom: true });

export type SentBody = {
  bytes: Buffer;
  contentEncoding: string | undefined;
  /** The holder whose share of large bodies counts. */
  holder: string;
};

type DecodingOptions = {
  /** Limit for the decoded body. */
  bytesMax: number;
  /** Larger decoded bodies wait for their turn. */
  briefBytesMax: number;
};

export async function decodeBody(body: SentBody, options: DecodingOptions): Promise<DecodedBody> {
  const { bytes: sent, contentEncoding, holder } = body;
  const { bytesMax, briefBytesMax } = options;
  const { encoding, decoder } = findDecoder(contentEncoding);
  if (sent.length > bytesMax) throw tooLargeError(bytesMax);
  if (decoder === null) {
    // A large unencoded body waits for its turn, too: its parsed values take several times its bytes.
    const pass = sent.length <= briefBytesMax ? null : await enterLarge(holder, sent.length);
    return { bytes: sent, [Symbol.dispose]: () => pass?.[Symbol.dispose]() };
  }
  const decode = async (decodedBytesMax: number) => {
    try {
      return await decodeAll(decoder, sent, decodedBytesMax);
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE') return null;
      throw new BodyFailure('bad_request', `The body does not match its Content-Encoding ${encoding}.`, {
        cause,
      });
    }
  };
  const bytes = sent.length <= briefBytesMax ? await decodeBrief(() => decode(briefBytesMax), holder) : null;
  return bytes ? { bytes, [Symbol.dispose]() {} } : decodeLarge(() => decode(bytesMax), body, bytesMax);
}

/** Throws 415 for an unknown Content-Encoding. Callers with the headers check this before reading the body. */
export function requireKnownEncoding(contentEncoding: string | undefined): void {
  findDecoder(contentEncoding);
}

/** Detects gzip, and deflate in zlib's format, by the first bytes. Returns undefined for anything else. */
export function detectEncoding(bytes: Buffer): string | undefined {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip';
  return hasZlibHeader(bytes) ? 'deflate' : undefined;
}

/** `decoder` is null without a content encoding. */
function findDecoder(contentEncoding: string | undefined): { encoding: string; decoder: Decoder | null } {
  const encoding = contentEncoding?.trim().toLowerCase() || 'identity';
  const decoder = encoding === 'identity' ? null : decoders.get(encoding);
  if (decoder !== undefined) return { encoding, decoder };
  const sentence = 'Content-Encoding must be one of gzip, zstd, br and deflate.';
  throw new BodyFailure('unsupported_content_type', sentence);
}

/**
 * Decodes all bytes: several gzip members or zstd frames form one body. Refuses bytes after the end, except for the zeros with which some tools pad
 * gzip.
 */
function decodeAll(decoder: Decoder, sent: Buffer, bytesMax: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  decoder(sent, { maxOutputLength: bytesMax, info: true }, (error, result) => {
    if (error) return reject(error);
    // The types do not cover the result of the `info` option.
    const { buffer, engine } = result as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    const rest = sent.subarray(engine.bytesWritten);
    if (rest.length === 0 || (decoder === zlib.gunzip && isZeros(rest))) resolve(buffer);
    else reject(new Error('There are bytes after the end.'));
  });
  return promise;
}

/** null: the body is too large. */
type Decode = () => Promise<Buffer | null>;

/** Tries the body as a brief one first, so that brief bodies do not wait for large ones. */
async function decodeBrief(decode: Decode, holder: string): Promise<Buffer | null> {
  using _pass = await briefGate.enter(holder);
  return await decode();
}

/** Decodes one by one: a few kilobytes may become ten megabytes, whose parsed values take many times as much. */
async function decodeLarge(decode: Decode, sent: SentBody, bytesMax: number): Promise<DecodedBody> {
  const pass = await enterLarge(sent.holder, sent.bytes.length);
  try {
    const bytes = await decode();
    if (bytes === null) throw tooLargeError(bytesMax);
    return { bytes, [Symbol.dispose]: () => pass[Symbol.dispose]() };
  } catch (error) {
    pass[Symbol.dispose]();
    throw error;
  }
}

async function enterLarge(holder: string, sentBytes: number): Promise<Disposable> {
  const held = new HeldBytes(holder);
  try {
    if (!held.add(sentBytes)) throw overloadedError();
    return await largeGate.enter(holder);
  } finally {
    held.release();
  }
}

function isZeros(bytes: Buffer): boolean {
  return bytes.equals(Buffer.alloc(bytes.length));
}

export function hasZlibHeader(bytes: Buffer): boolean {
  return bytes.length >= 2 && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

function tooLargeError(bytesMax: number): BodyFailure {
  return new BodyFailure('body_too_large', `The body may be at most ${bytesMax} bytes long, decoded.`);
}
