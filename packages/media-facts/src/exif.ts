/** Reads the orientation that cameras write into EXIF, in JPEG, PNG and WebP. */

import type { ByteReader } from './byteReader.ts';
import type { PictureSize } from './container.ts';

type ExifPlace = { readonly offset: number; readonly lengthBytes: number };

const entriesMax = 512; // cameras write about 20 into the first directory
export const orientationTag = 0x0112;
export const shortType = 3;

/** Returns 1 to 8 as in EXIF, by default 1 (upright). `place` is where the TIFF header lies. */
export async function readOrientation(reader: ByteReader, place: ExifPlace): Promise<number> {
  const header = await reader.readBytes(place.offset, 8);
  if (!header || place.lengthBytes < 8) return 1;
  const order = header.toString('latin1', 0, 4);
  if (order !== 'II*\0' && order !== 'MM\0*') return 1;
  const littleEndian = order === 'II*\0';
  const directory = littleEndian ? header.readUInt32LE(4) : header.readUInt32BE(4);
  if (directory + 2 > place.lengthBytes) return 1;
  const count = await reader.readBytes(place.offset + directory, 2);
  if (!count) return 1;
  const entries = Math.min(littleEndian ? count.readUInt16LE() : count.readUInt16BE(), entriesMax);
  const inside = Math.min(entries * 12, place.lengthBytes - directory - 2);
  const bytes = await reader.readBytesUpTo(place.offset + directory + 2, inside);
  return findOrientation(bytes, littleEndian);
}

function findOrientation(entries: Buffer, littleEndian: boolean): number {
  const read16 = (offset: number) =>
    littleEndian ? entries.readUInt16LE(offset) : entries.readUInt16BE(offset);
  for (let offset = 0; offset + 12 <= entries.length; offset += 12) {
    if (read16(offset) !== orientationTag || read16(offset + 2) !== shortType) continue;
    const value = read16(offset + 8);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** Orientations 5 to 8 turn the picture on its side. */
export function orientSize(size: PictureSize, orientation: number): PictureSize {
  return orientation >= 5 ? { width: size.height, height: size.width } : size;
}
