/** Unpacks Snappy's block format, which some protocols use for bodies. */
import { snappyUncompressor } from 'hysnappy';
import { ProtocolFailure } from './sentEntry.ts';

let uncompress: ReturnType<typeof snappyUncompressor> | null = null; // created on first use: it runs a WebAssembly module

/** Checks the declared length before allocating memory. */
export function readSnappy(bytes: Uint8Array, bytesMax: number): Buffer {
  const length = readLength(bytes);
  if (length === null) throw malformed();
  if (length > bytesMax) {
    throw new ProtocolFailure('body_too_large', `The body may be at most ${bytesMax} bytes long, unpacked.`);
  }
  if (length === 0) return Buffer.alloc(0);
  uncompress ??= snappyUncompressor();
  try {
    const { buffer, byteOffset, byteLength } = uncompress(bytes, length);
    return Buffer.from(buffer, byteOffset, byteLength);
  } catch (error) {
    throw malformed(error);
  }
}

/** Returns the declared length; 0 without one. */
export function readSnappyLength(bytes: Uint8Array): number {
  return readLength(bytes) ?? 0;
}

/** Reads the leading number, in groups of seven bits. */
function readLength(bytes: Uint8Array): number | null {
  let length = 0;
  for (let index = 0; index < 5; index++) {
    const byte = bytes[index];
    if (byte === undefined) return null;
    length += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return length;
  }
  return null;
}

function malformed(cause?: unknown): ProtocolFailure {
  return new ProtocolFailure('bad_request', 'The body must be packed by Snappy, in its block format.', {
    cause,
  });
}
