/** From the bytes of a request to the JSON value in them: content encodings with a limit, UTF-8 checked, JSON parsed. */
import { isAscii, isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { limits, ServiceError } from '../../vocabulary.ts';

type Decoder = (bytes: Buffer) => Promise<Buffer>;

const options = { maxOutputLength: limits.logBatchBytesMax };
const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const brotliDecompress = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);
const zstdDecompress = promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress);

const decoders = new Map<string, Decoder>([
  ['identity', async bytes => bytes],
  ['gzip', bytes => gunzip(bytes, options)],
  ['x-gzip', bytes => gunzip(bytes, options)],
  // By the standard deflate comes in zlib's wrapping; some clients leave that out.
  ['deflate', bytes => (hasZlibHeader(bytes) ? inflate(bytes, options) : inflateRaw(bytes, options))],
  ['br', bytes => brotliDecompress(bytes, options)],
  ['zstd', bytes => zstdDecompress(bytes, options)],
]);

/** The body without its content encoding. */
export async function decodeBody(bytes: Buffer, contentEncoding: string | undefined): Promise<Buffer> {
  if (bytes.length > limits.logBatchBytesMax) throw tooLargeError();
  const encoding = contentEncoding?.trim().toLowerCase() || 'identity';
  if (encoding === 'identity') return bytes;
  const decode = decoders.get(encoding);
  if (!decode) {
    const sentence = 'Content-Encoding must be one of gzip, zstd, br and deflate.';
    throw new ServiceError('unsupported_content_type', sentence);
  }
  try {
    return await decode(bytes);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLargeError();
    throw new ServiceError('bad_request', `The body is not what its Content-Encoding ${encoding} says.`, {
      cause,
    });
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

function hasZlibHeader(bytes: Buffer): boolean {
  return bytes.length >= 2 && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

function tooLargeError(): ServiceError {
  return new ServiceError(
    'body_too_large',
    `The body may be at most ${limits.logBatchBytesMax} bytes long, decoded.`,
  );
}
