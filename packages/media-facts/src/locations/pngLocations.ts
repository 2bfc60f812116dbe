/** Finds locations in PNG: in EXIF and XMP. A chunk that holds either of them compressed is blanked entirely. */
import { crc32, inflateSync } from 'node:zlib';
import { blankExif } from './exifLocations.ts';
import type { BytePatch, PieceReader } from './patches.ts';
import { blankXmp, packetBytesMax } from './xmpLocations.ts';

const signatureBytes = 8;
const textTypes = ['iTXt', 'zTXt', 'tEXt'];
const xmpKeyword = 'XML:com.adobe.xmp\0';
const rawProfile = /^Raw profile type (?:exif|app1|xmp)\0/i; // ImageMagick writes these in hexadecimal digits
const blankType = 'prVt'; // a private chunk type that readers skip

export async function findPngLocations(reader: PieceReader): Promise<BytePatch[]> {
  const patches: BytePatch[] = [];
  let offset = signatureBytes;
  for (;;) {
    const head = await reader.read(offset, 8);
    if (head.length < 8) return patches;
    const lengthBytes = head.readUInt32BE(0);
    const type = head.toString('latin1', 4, 8);
    if (type === 'eXIf' || textTypes.includes(type)) {
      const chunk = blankChunk(reader, type, await reader.read(offset + 8, lengthBytes));
      if (chunk !== null) patches.push({ offset: offset + 4, bytes: chunk });
    }
    if (type === 'IEND') return patches;
    offset += 12 + lengthBytes;
  }
}

/** Builds the blanked chunk; null if nothing has to change. */
function blankChunk(reader: PieceReader, type: string, data: Buffer): Buffer | null {
  if (type === 'eXIf') {
    const blanked = blankExif(data);
    return blanked && writeChunk(type, blanked);
  }
  const head = data.toString('latin1', 0, 64);
  if (rawProfile.test(head)) return writeChunk(blankType, Buffer.alloc(data.length));
  if (!head.startsWith(xmpKeyword)) return null;
  const packed = findPacked(type, data);
  if (packed === null) {
    const blanked = blankXmp(data);
    return blanked && writeChunk(type, blanked);
  }
  return hasPlaces(reader, packed) ? writeChunk(blankType, Buffer.alloc(data.length)) : null;
}

/** Finds the deflated part of a text chunk; null if there is none. */
function findPacked(type: string, data: Buffer): Buffer | null {
  const start = xmpKeyword.length;
  if (type === 'zTXt') return data.subarray(start + 1);
  if (type !== 'iTXt' || data[start] === 0) return null;
  // A language and a translated keyword follow the flag and the method.
  const language = data.indexOf(0, start + 2);
  const keyword = language < 0 ? -1 : data.indexOf(0, language + 1);
  return keyword < 0 ? Buffer.alloc(0) : data.subarray(keyword + 1);
}

/** True also if the packet can't be decompressed. */
function hasPlaces(reader: PieceReader, packed: Buffer): boolean {
  const packet = inflate(packed);
  reader.count(packet?.length ?? packetBytesMax); // a few bytes may become a megabyte, in each of thousands of chunks
  return packet === null || blankXmp(packet) !== null;
}

/** Returns null if the packet can't be decompressed. */
function inflate(packed: Buffer): Buffer | null {
  try {
    return inflateSync(packed, { maxOutputLength: packetBytesMax });
  } catch {
    return null;
  }
}

function writeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([body, checksum]);
}
