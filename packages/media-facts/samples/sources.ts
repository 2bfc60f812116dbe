/** Byte sources for tests. They count what is read. */

import type { ByteSource } from '../src/byteReader.ts';

export type CountingSource = ByteSource & { readonly counts: { reads: number; bytes: number } };

export function openBuffer(bytes: Uint8Array): CountingSource {
  const counts = { reads: 0, bytes: 0 };
  return {
    sizeBytes: bytes.length,
    counts,
    async read(offset, length) {
      counts.reads += 1;
      counts.bytes += length;
      return bytes.subarray(offset, offset + length);
    },
  };
}

/** Repeats a pattern between two pieces, up to a size. Takes no memory until it is read. */
export function openPattern(file: {
  readonly head: Buffer;
  readonly pattern: Buffer;
  readonly tail: Buffer;
  readonly sizeBytes: number;
}): CountingSource {
  const { head, pattern, tail, sizeBytes } = file;
  const counts = { reads: 0, bytes: 0 };
  const tailOffset = sizeBytes - tail.length;
  return {
    sizeBytes,
    counts,
    async read(offset, length) {
      counts.reads += 1;
      counts.bytes += length;
      const endOffset = Math.min(offset + length, sizeBytes);
      const turn = (((offset - head.length) % pattern.length) + pattern.length) % pattern.length;
      const bytes = Buffer.alloc(
        endOffset - offset,
        Buffer.concat([pattern.subarray(turn), pattern.subarray(0, turn)]),
      );
      if (offset < head.length) head.copy(bytes, 0, offset);
      if (endOffset > tailOffset)
        tail.copy(bytes, Math.max(0, tailOffset - offset), Math.max(0, offset - tailOffset));
      return bytes;
    },
  };
}
