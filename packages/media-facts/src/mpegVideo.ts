/** Checks bare MPEG-1 and MPEG-2 video: a sequence header, a picture, and its first slice. */

import type { ByteReader } from './byteReader.ts';
import type { MediaContainer, MediaFacts, PictureSize } from './container.ts';

export type VideoSequence = PictureSize & { readonly framesPerSecond: number };

const scanBytes = 256 * 1024; // headers with user data come well before this
const sequenceHeaderCode = 0xb3;
const extensionCode = 0xb5;
const pictureCode = 0x00;
const sliceCodeMax = 0xaf;
/** User data, extensions and groups of pictures. They may stand between a sequence header, its picture and its slice. */
const betweenCodes = [0xb2, extensionCode, 0xb8];
const startCodePrefix = Buffer.from([0, 0, 1]);
const frameRates = [0, 24_000 / 1001, 24, 25, 30_000 / 1001, 30, 50, 60_000 / 1001, 60]; // ISO 13818-2, table 6-4

export const mpegVideoContainer: MediaContainer = {
  signature: { offset: 0, letters: ['\0\0\x01\xb3'], matches: null },
  checkStructure: checkMpegVideo,
};

async function checkMpegVideo(reader: ByteReader): Promise<MediaFacts | undefined> {
  const bytes = await reader.readBytesUpTo(0, scanBytes);
  const sequence = readSequence(bytes, 0);
  if (!sequence || !reachesSlice(bytes)) return undefined;
  return { format: 'mpeg', width: sequence.width, height: sequence.height };
}

/** Finds the next start code, or -1. */
export function findStartCode(bytes: Buffer, offset: number): number {
  const found = bytes.indexOf(startCodePrefix, offset);
  return found === -1 || found + 4 > bytes.length ? -1 : found;
}

/** Reads the sequence header at an offset. MPEG-2 keeps the upper bits of the size in an extension. */
export function readSequence(bytes: Buffer, offset: number): VideoSequence | undefined {
  if (offset + 12 > bytes.length || bytes[offset + 3] !== sequenceHeaderCode) return undefined;
  const packed = bytes.readUIntBE(offset + 4, 3);
  const aspect = bytes.readUInt8(offset + 7) >> 4;
  const framesPerSecond = frameRates[bytes.readUInt8(offset + 7) & 15];
  const hasMarker = (bytes.readUInt8(offset + 10) & 0x20) !== 0;
  if (aspect === 0 || !framesPerSecond || !hasMarker) return undefined;
  let width = packed >> 12;
  let height = packed & 0xfff;
  const next = findStartCode(bytes, offset + 12);
  // Sequence extension: identifier 1, profile, level, flags, then two bits each of width and height.
  if (
    next !== -1 &&
    next + 8 <= bytes.length &&
    bytes[next + 3] === extensionCode &&
    bytes.readUInt8(next + 4) >> 4 === 1
  ) {
    const bits = bytes.readUInt16BE(next + 5);
    width += ((bits >> 7) & 3) << 12;
    height += ((bits >> 5) & 3) << 12;
  }
  return width > 0 && height > 0 ? { width, height, framesPerSecond } : undefined;
}

function reachesSlice(bytes: Buffer): boolean {
  let hasPicture = false;
  for (let offset = findStartCode(bytes, 12); offset !== -1; offset = findStartCode(bytes, offset + 4)) {
    const code = bytes.readUInt8(offset + 3);
    if (hasPicture && code !== pictureCode && code <= sliceCodeMax) return true;
    if (code === pictureCode && !hasPicture) hasPicture = true;
    else if (!betweenCodes.includes(code)) return false;
  }
  return false;
}
