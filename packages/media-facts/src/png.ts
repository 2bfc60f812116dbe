/** Checks PNG and APNG, a chain of chunks: the header, the palette and the start of the picture. */

import { constants, crc32, inflateRawSync } from 'node:zlib';
import { type ByteReader, readFourLetters } from './byteReader.ts';
import { type MediaContainer, type MediaFacts, roundDuration } from './container.ts';
import { orientSize, readOrientation } from './exif.ts';

type Chunk = { readonly type: string; readonly dataOffset: number; readonly lengthBytes: number };
type Preamble = { imageData: Chunk; hasPalette: boolean; orientation: number | undefined; frames: number };

const signature = '\x89PNG\r\n\x1a\n';
const chunksBeforePictureMax = 4096; // real files have about ten
const chunksMax = 65_536; // beyond this, an animation's length stays unknown
const chunkLengthMax = 2 ** 31 - 1; // PNG specification, 5.3
const bitDepthsOfColourTypes: Record<number, readonly number[]> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};
const paletteColourType = 3;
const inflateInputBytesMax = 1000; // holds the largest code table, and inflates to at most 1 MiB
const inflateOutputBytesMax = 2 * 1024 * 1024;

export const pngContainer: MediaContainer = {
  signature: { offset: 0, letters: [signature], matches: null },
  checkStructure: checkPng,
};

async function checkPng(reader: ByteReader): Promise<MediaFacts | undefined> {
  const header = await reader.readBytes(signature.length, 25);
  if (!header || !isHeader(header)) return undefined;
  const preamble = await readPreamble(reader);
  if (!preamble || (header[17] === paletteColourType && !preamble.hasPalette)) return undefined;
  if (!(await startsInflating(reader, preamble.imageData))) return undefined;
  const { orientation } = preamble;
  const encoded = { width: header.readUInt32BE(8), height: header.readUInt32BE(12) };
  const size = orientation === undefined ? encoded : orientSize(encoded, orientation);
  if (preamble.frames === 0) return { format: 'png', ...size };
  return { format: 'apng', ...size, durationSeconds: await sumDelays(reader, preamble.frames) };
}

function isHeader(chunk: Buffer): boolean {
  const width = chunk.readUInt32BE(8);
  const height = chunk.readUInt32BE(12);
  const [bitDepth = 0, colourType = 0, compression, filter, interlace = 0] = chunk.subarray(16, 21);
  return (
    chunk.readUInt32BE(0) === 13 &&
    readFourLetters(chunk, 4) === 'IHDR' &&
    crc32(chunk.subarray(4, 21)) === chunk.readUInt32BE(21) &&
    width >= 1 &&
    width <= chunkLengthMax &&
    height >= 1 &&
    height <= chunkLengthMax &&
    bitDepthsOfColourTypes[colourType]?.includes(bitDepth) === true &&
    compression === 0 &&
    filter === 0 &&
    interlace <= 1
  );
}

async function* readChunks(reader: ByteReader, startOffset: number, countMax: number): AsyncGenerator<Chunk> {
  let offset = startOffset;
  for (let count = 0; count < countMax; count += 1) {
    const head = await reader.readBytes(offset, 8);
    if (!head) return;
    const lengthBytes = head.readUInt32BE(0);
    const type = readFourLetters(head, 4);
    if (lengthBytes > chunkLengthMax || !/^[A-Za-z]{4}$/.test(type)) return;
    yield { type, dataOffset: offset + 8, lengthBytes };
    offset += lengthBytes + 12;
  }
}

/** Reads the chunks between the header and the picture. */
async function readPreamble(reader: ByteReader): Promise<Preamble | undefined> {
  let hasPalette = false;
  let orientation: number | undefined;
  let frames = 0;
  for await (const chunk of readChunks(reader, signature.length + 25, chunksBeforePictureMax)) {
    if (chunk.type === 'IDAT') return { imageData: chunk, hasPalette, orientation, frames };
    if (chunk.type === 'IEND' || chunk.type === 'IHDR') return undefined;
    if (chunk.type === 'PLTE') {
      if (chunk.lengthBytes === 0 || chunk.lengthBytes > 768 || chunk.lengthBytes % 3 !== 0) return undefined;
      hasPalette = true;
    } else if (chunk.type === 'eXIf') {
      orientation = await readOrientation(reader, {
        offset: chunk.dataOffset,
        lengthBytes: chunk.lengthBytes,
      });
    } else if (chunk.type === 'acTL' && chunk.lengthBytes === 8) {
      frames = (await reader.readBytes(chunk.dataOffset, 4))?.readUInt32BE() ?? 0;
    }
  }
  return undefined;
}

/** True if the picture's first bytes inflate to a row that begins with a known filter. */
async function startsInflating(reader: ByteReader, imageData: Chunk): Promise<boolean> {
  const pieces: Buffer[] = [];
  let wanted = inflateInputBytesMax;
  for await (const chunk of readChunks(reader, imageData.dataOffset - 8, chunksBeforePictureMax)) {
    if (chunk.type !== 'IDAT' || wanted === 0) break;
    const piece = await reader.readBytesUpTo(chunk.dataOffset, Math.min(wanted, chunk.lengthBytes));
    pieces.push(piece);
    wanted -= piece.length;
  }
  const stream = Buffer.concat(pieces);
  return stream.length > 2 && isZlibHeader(stream.readUInt16BE(0)) && startsRow(stream.subarray(2));
}

/** Checks RFC 1950: method 8, a window of at most 32 KiB, no preset dictionary, and a checksum over the two bytes. */
function isZlibHeader(header: number): boolean {
  return (header & 0x0f00) === 0x0800 && header >> 12 <= 7 && (header & 0x20) === 0 && header % 31 === 0;
}

function startsRow(deflated: Buffer): boolean {
  try {
    // Raw, because viewers show a picture even if the checksum after the last row is wrong.
    const rows = inflateRawSync(deflated, {
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: inflateOutputBytesMax,
    });
    const filter = rows[0];
    return filter !== undefined && filter <= 4;
  } catch {
    return false; // zlib throws on anything but a deflate stream
  }
}

/** Returns the duration of one animation loop if the file has every promised frame. */
async function sumDelays(reader: ByteReader, frames: number): Promise<number | undefined> {
  let seconds = 0;
  let found = 0;
  for await (const chunk of readChunks(reader, signature.length, chunksMax)) {
    if (chunk.type !== 'fcTL' || chunk.lengthBytes !== 26) continue;
    const delay = await reader.readBytes(chunk.dataOffset + 20, 4);
    if (!delay) return undefined;
    seconds += delay.readUInt16BE(0) / (delay.readUInt16BE(2) || 100); // APNG: a denominator of 0 means 100
    found += 1;
    if (found === frames) return frames > 1 ? roundDuration(seconds) : undefined;
  }
  return undefined;
}
