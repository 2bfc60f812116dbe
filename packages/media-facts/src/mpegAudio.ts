/** Checks bare MPEG audio, mostly MP3: tags, a first frame, and a second frame where the first one ends. */

import type { ByteReader } from './byteReader.ts';
import { type MediaContainer, type MediaFacts, roundDuration } from './container.ts';
import { frameHeaderBytes, isSameStream, type MpegAudioFrame, readFrameHeader } from './mpegAudioFrame.ts';

type Stream = { readonly offset: number; readonly first: MpegAudioFrame; readonly frameBytes: number };

const tagsMax = 16; // ID3 tags before the audio; some writers put a second one before their first
const zerosMax = 64 * 1024; // padding that some taggers leave between tag and audio
const freeFrameBytesMax = 8 * 1024; // LAME's fastest free format, 640 kbit/s, stays below 6 KiB at every sample rate
const framesWalkedMax = 8192; // three minutes of stereo; longer sounds are estimated from their average
const constantFrames = 256; // this many frames of one rate mean a constant rate
const trailingTags = ['TAG', 'APE', 'LYR', 'ID3'];

export const mpegAudioContainer: MediaContainer = {
  signature: {
    offset: 0,
    letters: ['ID3', '\xff'],
    matches: head => isTag(head) || readFrameHeader(head, 0) !== undefined,
  },
  checkStructure: checkMpegAudio,
};

async function checkMpegAudio(reader: ByteReader): Promise<MediaFacts | undefined> {
  const offset = await skipTags(reader);
  const stream = offset === undefined ? undefined : await readStream(reader, offset);
  if (!stream || !(await continues(reader, stream))) return undefined;
  const format = stream.first.layer === 2 ? 'mp2' : 'mp3';
  const frames = (await readFrameCount(reader, stream)) || (await countFrames(reader, stream));
  return {
    format,
    durationSeconds: roundDuration((frames * stream.first.samples) / stream.first.sampleRate),
  };
}

/** True for an ID3v2 header: two version bytes below 0xFF, flags, four length bytes below 0x80. */
function isTag(bytes: Buffer): boolean {
  if (bytes.length < 10 || bytes.toString('latin1', 0, 3) !== 'ID3') return false;
  return bytes.subarray(3, 5).every(byte => byte < 0xff) && bytes.subarray(6, 10).every(byte => byte < 0x80);
}

/** Finds the start of the audio, after tags and the zeros that some tags leave. */
async function skipTags(reader: ByteReader): Promise<number | undefined> {
  let offset = 0;
  for (let count = 0; count < tagsMax; count += 1) {
    const head = await reader.readBytesUpTo(offset, 10);
    if (!isTag(head)) return offset === 0 ? 0 : skipZeros(reader, offset);
    const footerBytes = head.readUInt8(5) & 0x10 ? 10 : 0;
    const [a = 0, b = 0, c = 0, d = 0] = head.subarray(6, 10);
    offset += 10 + a * 2 ** 21 + b * 2 ** 14 + c * 2 ** 7 + d + footerBytes;
  }
  return undefined;
}

async function skipZeros(reader: ByteReader, offset: number): Promise<number | undefined> {
  const bytes = await reader.readBytesUpTo(offset, zerosMax);
  const zeros = bytes.findIndex(byte => byte !== 0);
  return zeros === -1 ? undefined : offset + zeros;
}

async function readStream(reader: ByteReader, offset: number): Promise<Stream | undefined> {
  const bytes = await reader.readBytesUpTo(offset, frameHeaderBytes);
  const first = readFrameHeader(bytes, 0);
  if (!first) return undefined;
  const frameBytes = first.lengthBytes || (await measureFreeFrame(reader, offset, first));
  if (frameBytes === undefined || offset + frameBytes > reader.sizeBytes) return undefined;
  return { offset, first, frameBytes };
}

/** Returns the distance to the next header that has another one just as far after it. */
async function measureFreeFrame(
  reader: ByteReader,
  offset: number,
  first: MpegAudioFrame,
): Promise<number | undefined> {
  const bytes = await reader.readBytesUpTo(offset, 3 * freeFrameBytesMax);
  for (let distance = 24; distance < freeFrameBytesMax; distance += 1) {
    const second = readFrameHeader(bytes, distance);
    if (!second || !isSameStream(first, second)) continue;
    const third = readFrameHeader(bytes, 2 * distance - first.paddingBytes + second.paddingBytes);
    if (third && isSameStream(first, third)) return distance;
  }
  return undefined;
}

/** True if a second frame, a closing tag or the end of the file follows the first frame. */
async function continues(reader: ByteReader, stream: Stream): Promise<boolean> {
  const bytes = await reader.readBytesUpTo(stream.offset + stream.frameBytes, frameHeaderBytes);
  const second = readFrameHeader(bytes, 0);
  if (second && isSameStream(stream.first, second)) return true;
  // UTF-16 text begins like layer I, so there the end of the file doesn't replace a second frame.
  const hasEnded = bytes.length < frameHeaderBytes && stream.first.layer !== 1;
  return hasEnded || trailingTags.includes(bytes.toString('latin1', 0, 3));
}

/** Returns the frame count that variable-rate encoders write into the first frame, or 0 if they didn't. */
async function readFrameCount(reader: ByteReader, stream: Stream): Promise<number> {
  const { version, isMono, layer } = stream.first;
  if (layer !== 3) return 0;
  const bytes = await reader.readBytes(stream.offset, Math.min(stream.frameBytes, 64));
  if (!bytes) return 0;
  const sideBytes = version === 1 ? (isMono ? 17 : 32) : isMono ? 9 : 17;
  const xing = frameHeaderBytes + sideBytes;
  const name = bytes.toString('latin1', xing, xing + 4);
  if ((name === 'Xing' || name === 'Info') && xing + 12 <= bytes.length) {
    return bytes.readUInt32BE(xing + 4) & 1 ? bytes.readUInt32BE(xing + 8) : 0;
  }
  const vbri = frameHeaderBytes + 32;
  if (bytes.toString('latin1', vbri, vbri + 4) !== 'VBRI' || vbri + 18 > bytes.length) return 0;
  return bytes.readUInt32BE(vbri + 14);
}

/** Counts frames. If there are many, or all have one rate, it estimates the rest from the average so far. */
async function countFrames(reader: ByteReader, stream: Stream): Promise<number> {
  const { first } = stream;
  let offset = stream.offset;
  let frames = 0;
  let isConstant = true;
  while (frames < framesWalkedMax && !(isConstant && frames >= constantFrames)) {
    const bytes = await reader.readBytes(offset, frameHeaderBytes);
    const frame = bytes && readFrameHeader(bytes, 0);
    if (!frame && reader.isExhausted()) break;
    if (!frame || !isSameStream(first, frame)) return frames;
    isConstant &&= frame.bitsPerSecond === first.bitsPerSecond;
    offset += frame.lengthBytes || stream.frameBytes - first.paddingBytes + frame.paddingBytes;
    frames += 1;
  }
  return Math.round((frames * (reader.sizeBytes - stream.offset)) / (offset - stream.offset));
}
