/** Checks GIF: a screen, extension blocks, and a first picture whose codes start to decode. */

import type { ByteReader } from './byteReader.ts';
import { type MediaContainer, type MediaFacts, type PictureSize, roundDuration } from './container.ts';

type Frame = PictureSize & { readonly codesOffset: number; readonly delayHundredths: number };

const screenBytes = 13;
const extensionIntroducer = 0x21;
const graphicControlLabel = 0xf9;
const pictureSeparator = 0x2c;
const trailer = 0x3b;
const extensionsMax = 4096; // before one picture; real files have three
const framesMax = 16_384; // beyond this, an animation's length stays unknown
const scanBytes = 4096;
const codesCheckedMax = 256;
/** Browsers and FFmpeg show frames with a shorter delay than 2 for 10 hundredths. */
const delayHundredthsMin = 2;
const delayHundredthsDefault = 10;

export const gifContainer: MediaContainer = {
  signature: { offset: 0, letters: ['GIF87a', 'GIF89a'], matches: null },
  checkStructure: checkGif,
};

async function checkGif(reader: ByteReader): Promise<MediaFacts | undefined> {
  const screen = await reader.readBytes(0, screenBytes);
  if (!screen) return undefined;
  const frame = await readFrame(reader, screenBytes + countColourTableBytes(screen.readUInt8(10)));
  if (frame === undefined || frame === 'end' || !(await startsDecoding(reader, frame.codesOffset)))
    return undefined;
  return {
    format: 'gif',
    width: screen.readUInt16LE(6) || frame.width,
    height: screen.readUInt16LE(8) || frame.height,
    durationSeconds: await sumDelays(reader, frame),
  };
}

function countColourTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** Reads the next picture with its extensions. Returns `end` at the trailer, and undefined if neither parses. */
async function readFrame(reader: ByteReader, startOffset: number): Promise<Frame | 'end' | undefined> {
  let offset = startOffset;
  let delayHundredths = 0;
  for (let count = 0; count < extensionsMax; count += 1) {
    const head = await reader.readBytesUpTo(offset, 10);
    if (head[0] === trailer) return 'end';
    if (head[0] === pictureSeparator)
      return head.length === 10 ? readPicture(head, offset, delayHundredths) : undefined;
    if (head[0] !== extensionIntroducer || head.length < 3) return undefined;
    if (head[1] === graphicControlLabel && head[2] === 4 && head.length >= 6)
      delayHundredths = head.readUInt16LE(4);
    const end = await skipSubBlocks(reader, offset + 2);
    if (end === undefined) return undefined;
    offset = end;
  }
  return undefined;
}

function readPicture(descriptor: Buffer, offset: number, delayHundredths: number): Frame | undefined {
  const width = descriptor.readUInt16LE(5);
  const height = descriptor.readUInt16LE(7);
  if (width === 0 || height === 0) return undefined;
  const codesOffset = offset + 10 + countColourTableBytes(descriptor.readUInt8(9));
  return { width, height, codesOffset, delayHundredths };
}

/** Finds the end of a chain of sub-blocks; undefined if the file ends first. The reader's budget bounds it. */
async function skipSubBlocks(reader: ByteReader, startOffset: number): Promise<number | undefined> {
  let offset = startOffset;
  for (;;) {
    const bytes = await reader.readBytesUpTo(offset, scanBytes);
    if (bytes.length === 0) return undefined;
    let position = 0;
    while (position < bytes.length) {
      const length = bytes.readUInt8(position);
      position += 1 + length;
      if (length === 0) return offset + position;
    }
    offset += position;
  }
}

async function startsDecoding(reader: ByteReader, codesOffset: number): Promise<boolean> {
  const head = await reader.readBytes(codesOffset, 3);
  if (!head) return false;
  const [codeSizeBits = 0, length = 0, next = 0] = head;
  if (codeSizeBits < 1 || codeSizeBits > 8) return false;
  // A picture without codes shows its background. The smallest transparent GIF works that way.
  if (length === 0) return next === trailer;
  return areCodes(await reader.readBytesUpTo(codesOffset + 2, length), codeSizeBits);
}

/** True if no LZW code names an entry that the table can't hold yet. */
function areCodes(bytes: Buffer, codeSizeBits: number): boolean {
  const clear = 1 << codeSizeBits;
  const bitsTotal = bytes.length * 8;
  let widthBits = codeSizeBits + 1;
  let next = clear + 2;
  let decoded = 0;
  let sinceClear = 0;
  let bit = 0;
  while (bit + widthBits <= bitsTotal && decoded < codesCheckedMax) {
    const at = bit >> 3;
    const three = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
    const code = (three >> (bit & 7)) & ((1 << widthBits) - 1);
    bit += widthBits;
    if (code === clear) {
      widthBits = codeSizeBits + 1;
      next = clear + 2;
      sinceClear = 0;
      continue;
    }
    if (code === clear + 1) return decoded > 0;
    if (sinceClear === 0 ? code > clear : code > next) return false;
    if (sinceClear > 0 && next < 4096) next += 1;
    if (next === 1 << widthBits && widthBits < 12) widthBits += 1;
    sinceClear += 1;
    decoded += 1;
  }
  return bit > 0;
}

/** Returns the duration of one animation loop if its trailer lies within the budget. */
async function sumDelays(reader: ByteReader, first: Frame): Promise<number | undefined> {
  let hundredths = 0;
  let frame = first;
  for (let count = 1; count <= framesMax; count += 1) {
    hundredths += frame.delayHundredths < delayHundredthsMin ? delayHundredthsDefault : frame.delayHundredths;
    const end = await skipSubBlocks(reader, frame.codesOffset + 1);
    const next = end === undefined ? undefined : await readFrame(reader, end);
    if (next === undefined) return undefined;
    if (next === 'end') return count > 1 ? roundDuration(hundredths / 100) : undefined;
    frame = next;
  }
  return undefined;
}
