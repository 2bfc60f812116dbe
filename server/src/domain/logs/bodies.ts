/** From the bytes of a request to the JSON value in them: content encodings with a limit, UTF-8 checked, JSON parsed. */
import { isAscii, isUtf8 } from 'node:buffer';
import zlib from 'node:zlib';
import { limits, ServiceError } from '../../vocabulary.ts';
import { Gate } from '../gate.ts';
import { holdBytes, letBytesGo } from './heldBodies.ts';

type Options = { maxOutputLength: number; info: true };
type Decoder = (bytes: Buffer, options: Options, callback: zlib.CompressCallback) => void;

/** To be disposed of once what it says is stored or refused: the next large one has its turn then. */
export type DecodedBody = Disposable & { bytes: Buffer };

const decoders = new Map<string, Decoder>([
  ['gzip', zlib.gunzip],
  ['x-gzip', zlib.gunzip],
  // By the standard deflate comes in zlib's wrapping; some clients leave that out.
  ['deflate', (bytes, ...rest) => (hasZlibHeader(bytes) ? zlib.inflate : zlib.inflateRaw)(bytes, ...rest)],
  ['br', zlib.brotliDecompress],
  ['zstd', zlib.zstdDecompress],
]);

/** Only while they are decoded: nothing lies between that and their being judged. */
const briefGate = new Gate(limits.briefDecodingsMax);
const largeGate = new Gate(limits.largeDecodingsMax);

/** The body without its content encoding. */
export async function decodeBody(sent: Buffer, contentEncoding: string | undefined): Promise<DecodedBody> {
  const { encoding, decoder } = findDecoder(contentEncoding);
  if (sent.length > limits.logBatchBytesMax) throw tooLargeError();
  if (decoder === null) return await takeInTurn(sent);
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
  const bytes = sent.length <= limits.briefBodyBytesMax ? await decodeBrief(decode) : null;
  return bytes ? { bytes, [Symbol.dispose]() {} } : decodeLarge(decode, sent.length);
}

/** A large body's values take several times its bytes, however it was sent. */
async function takeInTurn(bytes: Buffer): Promise<DecodedBody> {
  const pass = bytes.length <= limits.briefBodyBytesMax ? null : await enterLarge(bytes.length);
  return { bytes, [Symbol.dispose]: () => pass?.[Symbol.dispose]() };
}

/** For those who can refuse it before there is a body. */
export function requireKnownEncoding(contentEncoding: string | undefined): void {
  findDecoder(contentEncoding);
}

/** null is for bodies that come as they are. */
function findDecoder(contentEncoding: string | undefined): { encoding: string; decoder: Decoder | null } {
  const encoding = contentEncoding?.trim().toLowerCase() || 'identity';
  const decoder = encoding === 'identity' ? null : decoders.get(encoding);
  if (decoder !== undefined) return { encoding, decoder };
  const sentence = 'Content-Encoding must be one of gzip, zstd, br and deflate.';
  throw new ServiceError('unsupported_content_type', sentence);
}

/**
 * All of what was sent: several members of gzip, or frames of zstd, are one body. What lies behind the end is refused, but
 * for the zeros that some tools fill gzip up with.
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

/** How long a body is decoded nobody knows before: most are brief, and these do not wait for large ones. */
async function decodeBrief(decode: Decode): Promise<Buffer | null> {
  using _pass = await briefGate.enter();
  return await decode(limits.briefBodyBytesMax);
}

/** A few kilobytes may become ten megabytes, and those many times as much of JSON's values. */
async function decodeLarge(decode: Decode, sentBytes: number): Promise<DecodedBody> {
  const pass = await enterLarge(sentBytes);
  try {
    const bytes = await decode(limits.logBatchBytesMax);
    if (bytes === null) throw tooLargeError();
    return { bytes, [Symbol.dispose]: () => pass[Symbol.dispose]() };
  } catch (error) {
    pass[Symbol.dispose]();
    throw error;
  }
}

async function enterLarge(sentBytes: number): Promise<Disposable> {
  const isRoom = holdBytes(sentBytes);
  try {
    if (!isRoom) throw crowdedError();
    return await largeGate.enter();
  } finally {
    letBytesGo(sentBytes);
  }
}

/** The JSON value in the body. */
export function parseBody(bytes: Buffer): unknown {
  try {
    return JSON.parse(readText(bytes));
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    // The parser's own words may quote what was sent.
    throw new ServiceError('invalid_json', 'The body must be valid JSON.', { cause });
  }
}

/** ASCII, which most bodies are, is read several times faster as what it is. */
function readText(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) throw new ServiceError('invalid_json', 'The body must be UTF-8.');
  const text = bytes.toString();
  return text.startsWith('\ufeff') ? text.slice(1) : text; // some editors and languages write a byte order mark
}

function isZeros(bytes: Buffer): boolean {
  return bytes.equals(Buffer.alloc(bytes.length));
}

function hasZlibHeader(bytes: Buffer): boolean {
  return bytes.length >= 2 && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

function crowdedError(): ServiceError {
  return new ServiceError('overloaded', 'Too many large bodies are waiting; send it again later.', {
    retryAfterSeconds: 5, // as when too many are being read
  });
}

function tooLargeError(): ServiceError {
  return new ServiceError(
    'body_too_large',
    `The body may be at most ${limits.logBatchBytesMax} bytes long, decoded.`,
  );
}
