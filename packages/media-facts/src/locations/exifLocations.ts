/**
 * Removes locations from EXIF by emptying the GPS directory of the TIFF structure. Blanks a structure entirely if it can't be parsed, or if
 * it is larger or more tangled than any real one.
 */
import { blankXmp, packetBytesMax } from './xmpLocations.ts';

const gpsPointer = 0x8825;
const exifPointer = 0x8769;
const directoriesMax = 16; // pictures have three or four
const entryBytes = 12;
/** The bytes per value of each type, as numbered in TIFF 6.0 and EXIF. */
const typeBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4];

/** `fillsLeft`: bytes that may still be blanked. Values that overlap could blank the same bytes millions of times. */
type Tiff = { bytes: Buffer; isLittle: boolean; fillsLeft: number };

/** Returns null if nothing has to change. */
export function blankExif(block: Buffer): Buffer | null {
  if (block.length > packetBytesMax) return Buffer.alloc(block.length);
  const bytes = Buffer.from(block);
  try {
    blankTiff(bytes);
  } catch (error) {
    if (!(error instanceof BrokenTiff)) throw error;
    return Buffer.alloc(block.length);
  }
  const blanked = blankXmp(bytes) ?? bytes;
  return blanked.equals(block) ? null : blanked;
}

class BrokenTiff extends Error {}

function blankTiff(bytes: Buffer): void {
  const order = bytes.toString('latin1', 0, 4);
  if (order !== 'II*\0' && order !== 'MM\0*') throw new BrokenTiff();
  const tiff = { bytes, isLittle: order === 'II*\0', fillsLeft: bytes.length };
  const directories = [read32(tiff, 4)];
  const seen = new Set<number>([0]);
  for (const directory of directories) {
    if (seen.has(directory)) continue;
    seen.add(directory);
    if (seen.size > directoriesMax) throw new BrokenTiff();
    const count = read16(tiff, directory);
    for (let index = 0; index < count; index += 1) {
      const entry = directory + 2 + index * entryBytes;
      const tag = read16(tiff, entry);
      if (tag === gpsPointer) blankDirectory(tiff, read32(tiff, entry + 8));
      if (tag === exifPointer) directories.push(read32(tiff, entry + 8));
    }
    const next = directory + 2 + count * entryBytes;
    // Some writers leave out the link to the next directory.
    if (next + 4 <= bytes.length) directories.push(read32(tiff, next));
  }
}

/** Blanks a directory's values, entries and count. */
function blankDirectory(tiff: Tiff, directory: number): void {
  const count = read16(tiff, directory);
  for (let index = 0; index < count; index += 1) {
    const entry = directory + 2 + index * entryBytes;
    const sizeBytes = (typeBytes[read16(tiff, entry + 2)] ?? 1) * read32(tiff, entry + 4);
    if (sizeBytes > 4) fill(tiff, read32(tiff, entry + 8), sizeBytes);
    fill(tiff, entry, entryBytes);
  }
  fill(tiff, directory, 2);
}

function fill(tiff: Tiff, offset: number, lengthBytes: number): void {
  const { bytes } = tiff;
  tiff.fillsLeft -= lengthBytes;
  if (offset + lengthBytes > bytes.length || tiff.fillsLeft < 0) throw new BrokenTiff();
  bytes.fill(0, offset, offset + lengthBytes);
}

function read16({ bytes, isLittle }: Tiff, offset: number): number {
  if (offset + 2 > bytes.length) throw new BrokenTiff();
  return isLittle ? bytes.readUInt16LE(offset) : bytes.readUInt16BE(offset);
}

function read32({ bytes, isLittle }: Tiff, offset: number): number {
  if (offset + 4 > bytes.length) throw new BrokenTiff();
  return isLittle ? bytes.readUInt32LE(offset) : bytes.readUInt32BE(offset);
}
