/**
 * Replaces a picture's metadata by what a decoder needs of it: EXIF by its orientation, and PNG's texts by nothing. Decoders read all of it, and a
 * few kilobytes of entries that point to each other cost them seconds.
 */
import { crc32 } from 'node:zlib';
import { openByteReader } from './byteReader.ts';
import { orientationTag, readOrientation, shortType } from './exif.ts';

const exifName = 'Exif\0\0'; // JPEG writes this before the structure, and so do some writers of WebP
const jpegPrefix = 'Exif'; // decoders look no further
const textTypes = ['tEXt', 'zTXt', 'iTXt'];
const skippedType = 'prVt'; // a private chunk type that readers skip
const [applicationSegment, startOfScan] = [0xe1, 0xda];

/** Takes EXIF as the picture stores it, and overwrites it. */
type Simplify = (block: Buffer) => Promise<void>;

/** Changes the bytes in place; they keep their length. Leaves files that are no JPEG, PNG or WebP as they are. */
export async function simplifyMetadata(picture: Buffer): Promise<void> {
  const simplify = openSimplifier();
  if (picture.toString('latin1', 0, 3) === '\xff\xd8\xff') await simplifyJpeg(picture, simplify);
  else if (picture.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n') await simplifyPng(picture, simplify);
  else if (/^RIFF.{4}WEBP$/s.test(picture.toString('latin1', 0, 12))) await simplifyWebp(picture, simplify);
}

async function simplifyJpeg(picture: Buffer, simplify: Simplify): Promise<void> {
  let offset = 2;
  while (offset + 4 <= picture.length) {
    const marker = picture.readUInt8(offset + 1);
    // Decoders skip bytes between segments, however many there are.
    if (picture[offset] !== 0xff || marker === 0xff || marker === 0) {
      offset += 1;
      continue;
    }
    if (marker === startOfScan) return;
    const hasLength = marker >= 0xc0 && !(marker >= 0xd0 && marker <= 0xd9);
    const end = offset + 2 + (hasLength ? Math.max(2, picture.readUInt16BE(offset + 2)) : 0);
    const segment = picture.subarray(offset + 4, end);
    if (marker === applicationSegment && segment.toString('latin1', 0, jpegPrefix.length) === jpegPrefix)
      await simplify(segment);
    offset = end;
  }
}

async function simplifyPng(picture: Buffer, simplify: Simplify): Promise<void> {
  let end: number;
  for (let offset = 8; offset + 12 <= picture.length; offset = end) {
    end = offset + 12 + picture.readUInt32BE(offset);
    const type = picture.toString('latin1', offset + 4, offset + 8);
    if (type !== 'eXIf' && !textTypes.includes(type)) continue;
    const checked = picture.subarray(offset + 4, end - 4);
    if (type === 'eXIf') await simplify(checked.subarray(4));
    else checked.write(skippedType, 'latin1');
    if (end <= picture.length) picture.writeUInt32BE(crc32(checked), end - 4);
  }
}

async function simplifyWebp(picture: Buffer, simplify: Simplify): Promise<void> {
  let end: number;
  for (let offset = 12; offset + 8 <= picture.length; offset = end + (end % 2)) {
    end = offset + 8 + picture.readUInt32LE(offset + 4);
    if (picture.toString('latin1', offset, offset + 4) === 'EXIF')
      await simplify(picture.subarray(offset + 8, end));
  }
}

/** Leaves one directory with one entry: the orientation of the first block, because programs disagree about which of several counts. */
function openSimplifier(): Simplify {
  let structure: Buffer | null = null;
  return async block => {
    const isNamed = block.toString('latin1', 0, exifName.length) === exifName;
    const tiff = block.subarray(isNamed ? exifName.length : 0);
    structure ??= writeOrientation(await findOrientation(tiff));
    tiff.fill(0);
    if (tiff.length >= structure.length) structure.copy(tiff);
  };
}

async function findOrientation(tiff: Buffer): Promise<number> {
  const read = async (offset: number, length: number) => tiff.subarray(offset, offset + length);
  const reader = openByteReader({ sizeBytes: tiff.length, read });
  return await readOrientation(reader, { offset: 0, lengthBytes: tiff.length });
}

function writeOrientation(orientation: number): Buffer {
  const structure = Buffer.alloc(26);
  structure.write('II*\0\x08', 'latin1'); // the directory lies at byte 8
  structure.writeUInt16LE(1, 8); // entries
  structure.writeUInt16LE(orientationTag, 10);
  structure.writeUInt16LE(shortType, 12);
  structure.writeUInt32LE(1, 14); // values
  structure.writeUInt16LE(orientation, 18);
  return structure;
}
