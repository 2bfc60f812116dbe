/** Byte sources for tests, which count what is read from them. */

import type { ByteSource } from '../../src/domain/media/byteReader.ts';

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
