/** Finds the location data of a file, and the bytes to overwrite it with. The file keeps its length. */
import type { ByteSource } from '../byteReader.ts';
import { UnsupportedMedia } from '../unsupportedMedia.ts';
import { findIsoLocations } from './isoLocations.ts';
import { findJpegLocations } from './jpegLocations.ts';
import type { BytePatch, PieceReader } from './patches.ts';
import { findPngLocations } from './pngLocations.ts';
import { findWebpLocations } from './webpLocations.ts';

const readsMax = 20_000; // a long video has a few hundred boxes; 0.1 s on a disk
const bytesMax = 32 * 1024 * 1024; // many times a file's metadata

const finders: Readonly<Record<string, (reader: PieceReader) => Promise<BytePatch[]>>> = {
  'image/jpeg': findJpegLocations,
  'image/png': findPngLocations,
  'image/apng': findPngLocations,
  'image/webp': findWebpLocations,
  'video/mp4': findIsoLocations,
  'video/quicktime': findIsoLocations,
};

/** Returns no patches for formats without locations, or whose locations this package doesn't know (see the README). */
export async function findLocations(source: ByteSource, mimeType: string): Promise<BytePatch[]> {
  return (await finders[mimeType]?.(openPieces(source))) ?? [];
}

function openPieces(source: ByteSource): PieceReader {
  let readsLeft = readsMax;
  let bytesLeft = bytesMax;
  const count = (lengthBytes: number) => {
    bytesLeft -= lengthBytes;
    if (readsLeft < 0 || bytesLeft < 0)
      throw new UnsupportedMedia(
        'This file has too much metadata to remove locations from; send it without metadata.',
      );
  };
  return {
    sizeBytes: source.sizeBytes,
    count,
    read: async (offset, lengthBytes) => {
      const wanted = Math.max(0, Math.min(lengthBytes, source.sizeBytes - offset));
      if (wanted === 0) return Buffer.alloc(0);
      readsLeft -= 1;
      count(wanted);
      const bytes = await source.read(offset, wanted);
      return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, wanted));
    },
  };
}
