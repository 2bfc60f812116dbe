/** Checks WebP: simple (lossy or lossless), extended and animated. */

import { type ByteReader, readFourLetters } from './byteReader.ts';
import { type MediaContainer, type MediaFacts, type PictureSize, roundDuration } from './container.ts';
import { orientSize, readOrientation } from './exif.ts';
import { type RiffChunk, readRiffChunks } from './riff.ts';

type Pictures = { first: PictureSize | undefined; milliseconds: number; frames: number; orientation: number };

const exifFlag = 0x08;
const animationFlag = 0x02;
const animationFrameHeaderBytes = 16;

export const webpContainer: MediaContainer = {
  signature: { offset: 8, letters: ['WEBP'], matches: head => readFourLetters(head, 0) === 'RIFF' },
  checkStructure: checkWebp,
};

async function checkWebp(reader: ByteReader): Promise<MediaFacts | undefined> {
  const head = await reader.readBytes(0, 30);
  if (!head) return undefined;
  const endOffset = 8 + head.readUInt32LE(4);
  const chunk = { id: readFourLetters(head, 12), dataOffset: 20, lengthBytes: head.readUInt32LE(16) };
  if (chunk.dataOffset + chunk.lengthBytes > endOffset) return undefined;
  if (chunk.id === 'VP8X') return checkExtended(reader, head, endOffset);
  const size = await readPicture(reader, chunk);
  return size && { format: 'webp', ...size };
}

async function checkExtended(
  reader: ByteReader,
  head: Buffer,
  endOffset: number,
): Promise<MediaFacts | undefined> {
  if (head.readUInt32LE(16) < 10) return undefined;
  const flags = head.readUInt8(20);
  const isAnimated = (flags & animationFlag) !== 0;
  const canvas = { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
  const pictures = await readPictures(reader, { flags, firstOffset: 20 + head.readUInt32LE(16), endOffset });
  const first = pictures.first;
  if (!first) return undefined;
  const fits = isAnimated
    ? first.width <= canvas.width && first.height <= canvas.height
    : first.width === canvas.width && first.height === canvas.height;
  if (!fits) return undefined;
  return {
    format: 'webp',
    ...orientSize(canvas, pictures.orientation),
    durationSeconds: pictures.frames > 1 ? roundDuration(pictures.milliseconds / 1000) : undefined,
  };
}

/** Reads the first picture, and after it only what an animation or an EXIF chunk adds. */
async function readPictures(
  reader: ByteReader,
  place: { flags: number; firstOffset: number; endOffset: number },
): Promise<Pictures> {
  const isAnimated = (place.flags & animationFlag) !== 0;
  const pictures: Pictures = { first: undefined, milliseconds: 0, frames: 0, orientation: 1 };
  for await (const chunk of readRiffChunks(reader, place.firstOffset, place.endOffset)) {
    if (isAnimated && chunk.id === 'ANMF') {
      pictures.first ??= await readAnimationFrame(reader, chunk);
      if (!pictures.first) return pictures;
      const milliseconds = (await reader.readBytes(chunk.dataOffset + 12, 3))?.readUIntLE(0, 3);
      pictures.milliseconds += milliseconds ?? 0;
      pictures.frames += 1;
    } else if (!isAnimated && !pictures.first && (chunk.id === 'VP8 ' || chunk.id === 'VP8L')) {
      pictures.first = await readPicture(reader, chunk);
      if (!pictures.first || !(place.flags & exifFlag)) return pictures;
    } else if (chunk.id === 'EXIF') {
      pictures.orientation = await readExifChunk(reader, chunk);
    }
  }
  return pictures;
}

async function readAnimationFrame(reader: ByteReader, chunk: RiffChunk): Promise<PictureSize | undefined> {
  const header = await reader.readBytes(chunk.dataOffset, animationFrameHeaderBytes);
  if (!header) return undefined;
  const size = { width: header.readUIntLE(6, 3) + 1, height: header.readUIntLE(9, 3) + 1 };
  const endOffset = chunk.dataOffset + chunk.lengthBytes;
  for await (const inner of readRiffChunks(reader, chunk.dataOffset + animationFrameHeaderBytes, endOffset)) {
    if (inner.id !== 'VP8 ' && inner.id !== 'VP8L') continue;
    const picture = await readPicture(reader, inner);
    return picture?.width === size.width && picture.height === size.height ? size : undefined;
  }
  return undefined;
}

/** Some writers keep the six letters that JPEG puts before EXIF. */
async function readExifChunk(reader: ByteReader, chunk: RiffChunk): Promise<number> {
  const name = await reader.readBytes(chunk.dataOffset, 6);
  const prefixBytes = name?.toString('latin1') === 'Exif\0\0' ? 6 : 0;
  return readOrientation(reader, {
    offset: chunk.dataOffset + prefixBytes,
    lengthBytes: chunk.lengthBytes - prefixBytes,
  });
}

/** Returns the size that a lossy or lossless picture states at its start. */
async function readPicture(reader: ByteReader, chunk: RiffChunk): Promise<PictureSize | undefined> {
  const bytes = await reader.readBytes(chunk.dataOffset, Math.min(chunk.lengthBytes, 11));
  if (!bytes) return undefined;
  if (chunk.id === 'VP8 ') return bytes.length < 11 ? undefined : readLossyHeader(bytes, chunk.lengthBytes);
  return chunk.id === 'VP8L' && bytes.length >= 6 ? readLosslessHeader(bytes) : undefined;
}

/** RFC 6386, 9.1: a shown key frame whose first partition lies inside the chunk. */
function readLossyHeader(bytes: Buffer, chunkBytes: number): PictureSize | undefined {
  const tag = bytes.readUIntLE(0, 3);
  const isKeyFrame = (tag & 1) === 0;
  const isShown = ((tag >> 4) & 1) === 1;
  const profile = (tag >> 1) & 7;
  const partitionBytes = tag >> 5;
  if (!isKeyFrame || !isShown || profile > 3 || partitionBytes === 0 || partitionBytes > chunkBytes)
    return undefined;
  if (bytes.readUIntBE(3, 3) !== 0x9d012a) return undefined;
  const width = bytes.readUInt16LE(6) & 0x3fff;
  const height = bytes.readUInt16LE(8) & 0x3fff;
  return width > 0 && height > 0 ? { width, height } : undefined;
}

function readLosslessHeader(bytes: Buffer): PictureSize | undefined {
  const bits = bytes.readUInt32LE(1);
  if (bytes[0] !== 0x2f || bits >>> 29 !== 0) return undefined;
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}
