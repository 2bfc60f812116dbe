/** Checks JPEG: the segments up to the first scan, the tables that the scan needs, and its first coded bytes. */

import type { ByteReader } from './byteReader.ts';
import type { MediaContainer, MediaFacts, PictureSize } from './container.ts';
import { orientSize, readOrientation } from './exif.ts';

type Segment = { readonly marker: number; readonly dataOffset: number; readonly lengthBytes: number };
type Frame = PictureSize & { readonly componentIds: readonly number[]; readonly usesHuffman: boolean };
type Progress = {
  frame: Frame | undefined;
  hasQuantization: boolean;
  hasHuffman: boolean;
  orientation: number | undefined;
};

const segmentsMax = 4096; // 32 MiB of full segments are 512
const fillBytesMax = 1024; // T.81, B.1.1.2 allows any number before a marker; encoders write none
const tableBytesMax = 2 + 4 * 2 * (17 + 256); // DHT: four tables of each class

const startOfScan = 0xda;
const exifMarker = 0xe1;
const quantizationTables = 0xdb;
const huffmanTables = 0xc4;
/** Baseline, extended, progressive and lossless frames with Huffman codes. */
const huffmanFrames = [0xc0, 0xc1, 0xc2, 0xc3];
/** The same frames with arithmetic coding. */
const arithmeticFrames = [0xc9, 0xca, 0xcb];

export const jpegContainer: MediaContainer = {
  signature: { offset: 0, letters: ['\xff\xd8\xff'], matches: null },
  checkStructure: checkJpeg,
};

async function checkJpeg(reader: ByteReader): Promise<MediaFacts | undefined> {
  const progress: Progress = {
    frame: undefined,
    hasQuantization: false,
    hasHuffman: false,
    orientation: undefined,
  };
  let offset = 2;
  for (let count = 0; count < segmentsMax; count += 1) {
    const segment = await readSegment(reader, offset);
    if (!segment) return undefined;
    if (segment.marker === startOfScan) {
      const { frame, hasQuantization, hasHuffman, orientation } = progress;
      const hasTables = hasQuantization && (hasHuffman || frame?.usesHuffman === false);
      if (!frame || !hasTables || !(await startsScan(reader, segment, frame))) return undefined;
      const encoded = { width: frame.width, height: frame.height };
      return { format: 'jpeg', ...(orientation === undefined ? encoded : orientSize(encoded, orientation)) };
    }
    if (!(await takeSegment(reader, segment, progress))) return undefined;
    offset = segment.dataOffset + segment.lengthBytes;
  }
  return undefined;
}

/** Reads a marker with a length. Markers without one (restart, end, a second start) can't come before the first scan. */
async function readSegment(reader: ByteReader, startOffset: number): Promise<Segment | undefined> {
  const bytes = await reader.readBytesUpTo(startOffset, fillBytesMax);
  let position = 0;
  while (bytes[position] === 0xff && bytes[position + 1] === 0xff) position += 1;
  if (position + 4 > bytes.length || bytes[position] !== 0xff) return undefined;
  const marker = bytes.readUInt8(position + 1);
  const lengthBytes = bytes.readUInt16BE(position + 2) - 2;
  if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd9) || lengthBytes < 0) return undefined;
  return { marker, dataOffset: startOffset + position + 4, lengthBytes };
}

/** Records what a segment contains. Returns false if it doesn't parse. */
async function takeSegment(reader: ByteReader, segment: Segment, progress: Progress): Promise<boolean> {
  const { marker, dataOffset, lengthBytes } = segment;
  if (marker === exifMarker && progress.orientation === undefined && lengthBytes > 14) {
    const name = await reader.readBytes(dataOffset, 6);
    if (name?.toString('latin1') !== 'Exif\0\0') return true;
    const place = { offset: dataOffset + 6, lengthBytes: lengthBytes - 6 };
    progress.orientation = await readOrientation(reader, place);
    return true;
  }
  const usesHuffman = huffmanFrames.includes(marker);
  if (usesHuffman || arithmeticFrames.includes(marker)) {
    const bytes = await reader.readBytes(dataOffset, Math.min(lengthBytes, 6 + 3 * 255));
    if (!bytes || progress.frame) return false;
    progress.frame = readFrame(bytes, usesHuffman);
    // Lossless pictures use prediction, not quantization.
    if (marker === 0xc3 || marker === 0xcb) progress.hasQuantization = true;
    return progress.frame !== undefined;
  }
  if (marker === quantizationTables || marker === huffmanTables) {
    const bytes = await reader.readBytes(dataOffset, Math.min(lengthBytes, tableBytesMax));
    if (!bytes || lengthBytes > tableBytesMax) return false;
    if (marker === quantizationTables) progress.hasQuantization = true;
    else progress.hasHuffman = true;
    return marker === quantizationTables ? areQuantizationTables(bytes) : areHuffmanTables(bytes);
  }
  // No viewer shows other frames (hierarchical, JPEG-LS).
  return marker < 0xc5 || marker === 0xcc || marker > 0xd9;
}

function readFrame(bytes: Buffer, usesHuffman: boolean): Frame | undefined {
  if (bytes.length < 6) return undefined;
  const components = bytes.readUInt8(5);
  const height = bytes.readUInt16BE(1);
  const width = bytes.readUInt16BE(3);
  if (components === 0 || bytes.length !== 6 + components * 3 || width === 0 || height === 0)
    return undefined;
  const componentIds: number[] = [];
  for (let offset = 6; offset < bytes.length; offset += 3) {
    const sampling = bytes.readUInt8(offset + 1);
    const horizontal = sampling >> 4;
    const vertical = sampling & 15;
    if (horizontal < 1 || horizontal > 4 || vertical < 1 || vertical > 4) return undefined;
    componentIds.push(bytes.readUInt8(offset));
  }
  return { width, height, componentIds, usesHuffman };
}

function areQuantizationTables(bytes: Buffer): boolean {
  let offset = 0;
  while (offset < bytes.length) {
    const head = bytes.readUInt8(offset);
    if (head >> 4 > 1 || (head & 15) > 3) return false;
    offset += 1 + (head >> 4 ? 128 : 64);
  }
  return offset === bytes.length && offset > 0;
}

/** Checks that each table has no more codes than their lengths allow. */
function areHuffmanTables(bytes: Buffer): boolean {
  let offset = 0;
  while (offset + 17 <= bytes.length) {
    const head = bytes.readUInt8(offset);
    if (head >> 4 > 1 || (head & 15) > 3) return false;
    let codes = 0;
    let capacity = 1;
    for (const count of bytes.subarray(offset + 1, offset + 17)) {
      capacity = capacity * 2 - count;
      codes += count;
      if (capacity < 0) return false;
    }
    if (codes > 256) return false;
    offset += 17 + codes;
  }
  return offset === bytes.length && offset > 0;
}

async function startsScan(reader: ByteReader, segment: Segment, frame: Frame): Promise<boolean> {
  const header = await reader.readBytes(segment.dataOffset, Math.min(segment.lengthBytes, 12));
  const components = header?.[0] ?? 0;
  if (!header || components < 1 || components > 4 || segment.lengthBytes !== 4 + components * 2) return false;
  for (let index = 0; index < components; index += 1) {
    if (!frame.componentIds.includes(header.readUInt8(1 + index * 2))) return false;
    const tables = header.readUInt8(2 + index * 2);
    if (tables >> 4 > 3 || (tables & 15) > 3) return false;
  }
  // Coded bytes follow. In them, 0x00 always follows 0xFF; anything else would be a marker.
  const coded = await reader.readBytes(segment.dataOffset + segment.lengthBytes, 2);
  return coded !== undefined && (coded[0] !== 0xff || coded[1] === 0);
}
