/** Checks MPEG-1 and MPEG-2 program streams: packs of packets, one of which must begin a video. */

import type { ByteReader } from './byteReader.ts';
import { type MediaContainer, type MediaFacts, roundDuration } from './container.ts';
import { findStartCode, readSequence, type VideoSequence } from './mpegVideo.ts';

type Packet = { readonly code: number; readonly offset: number; readonly endOffset: number };
type PacketHeader = { readonly payloadOffset: number; readonly seconds: number | undefined };
type Opening = { readonly sequence: VideoSequence | undefined; readonly startSeconds: number | undefined };

const packetsMax = 4096; // a video packet comes within the first ten
const zerosMax = 8 * 1024; // VCD pads with whole sectors of zeros, 2324 bytes each
const videoBytesMax = 64 * 1024; // how far to search the first video stream for a sequence header
const firstPacketBytesMin = 256; // a whole sequence header with its matrices and extension
const headerBytesMax = 9 + 255;
const tailBytes = 256 * 1024; // holds the last timestamps of streams up to a few megabits a second
const ticksPerSecond = 90_000;
const packCode = 0xba;
const endCode = 0xb9;
const systemHeaderCode = 0xbb;

export const mpegProgramContainer: MediaContainer = {
  signature: {
    offset: 0,
    letters: ['\0\0\x01\xba'],
    matches: head => head.length >= 12 && countPackBytes(head) > 0,
  },
  checkStructure: checkMpegProgram,
};

async function checkMpegProgram(reader: ByteReader): Promise<MediaFacts | undefined> {
  const opening = await readOpening(reader);
  if (!opening) return undefined;
  const { sequence, startSeconds } = opening;
  const endSeconds = startSeconds === undefined ? undefined : await findLastSeconds(reader);
  const frameSeconds = sequence ? 1 / sequence.framesPerSecond : 0;
  return {
    format: 'mpeg',
    width: sequence?.width,
    height: sequence?.height,
    durationSeconds: roundDuration(
      startSeconds !== undefined && endSeconds !== undefined
        ? endSeconds - startSeconds + frameSeconds
        : undefined,
    ),
  };
}

/** Returns the length of a pack header, MPEG-1 or MPEG-2, or 0 if its marker bits are wrong. */
function countPackBytes(bytes: Buffer): number {
  const first = bytes.readUInt8(4);
  if ((first & 0xf1) === 0x21) return 12;
  const isMpeg2 = (first & 0xc4) === 0x44 && bytes.length >= 14;
  return isMpeg2 ? 14 + (bytes.readUInt8(13) & 7) : 0;
}

/** Reads the packet at an offset, after zeros that pad sectors. */
async function readPacket(reader: ByteReader, startOffset: number): Promise<Packet | undefined> {
  let offset = startOffset;
  let head = await reader.readBytesUpTo(offset, 14);
  if (head.length >= 3 && head.readUIntBE(0, 3) === 0) {
    const zeros = (await reader.readBytesUpTo(offset, zerosMax)).findIndex(byte => byte !== 0);
    if (zeros === -1) return undefined;
    offset += zeros - 2;
    head = await reader.readBytesUpTo(offset, 14);
  }
  if (head.length < 6 || head.readUIntBE(0, 3) !== 1) return undefined;
  const code = head.readUInt8(3);
  if (code === packCode) {
    const packBytes = head.length >= 12 ? countPackBytes(head) : 0;
    return packBytes === 0 ? undefined : { code, offset, endOffset: offset + packBytes };
  }
  return code < systemHeaderCode ? undefined : { code, offset, endOffset: offset + 6 + head.readUInt16BE(4) };
}

/** Walks to the first video and reads its beginning. Returns undefined if there is no video. */
async function readOpening(reader: ByteReader): Promise<Opening | undefined> {
  const pieces: Buffer[] = [];
  let collectedBytes = 0;
  let videoCode: number | undefined;
  let startSeconds: number | undefined;
  let offset = 0;
  for (let count = 0; count < packetsMax && collectedBytes < videoBytesMax; count += 1) {
    const packet = await readPacket(reader, offset);
    if (!packet) break;
    offset = packet.endOffset;
    if (!isMediaCode(packet.code)) continue;
    const header = readPacketHeader(await reader.readBytesUpTo(packet.offset, headerBytesMax), 0);
    if (!header) return undefined;
    if (header.seconds !== undefined) startSeconds = Math.min(startSeconds ?? Infinity, header.seconds);
    if (!isVideoCode(packet.code) || (videoCode !== undefined && packet.code !== videoCode)) continue;
    videoCode = packet.code;
    const payloadOffset = packet.offset + header.payloadOffset;
    const piece = await reader.readBytesUpTo(payloadOffset, Math.max(0, packet.endOffset - payloadOffset));
    // Encoders begin the first packet with the sequence. Only captures need a longer search.
    const sequence =
      pieces.length === 0 && piece.length >= firstPacketBytesMin ? findSequence(piece) : undefined;
    if (sequence) return { sequence, startSeconds };
    pieces.push(piece);
    collectedBytes += piece.length;
  }
  const video = Buffer.concat(pieces);
  const sequence = findSequence(video);
  // Program streams hold other video codecs too. Those open with a start code but tell no size.
  return sequence || findStartCode(video.subarray(0, 16), 0) !== -1 ? { sequence, startSeconds } : undefined;
}

function findSequence(video: Buffer): VideoSequence | undefined {
  for (let offset = findStartCode(video, 0); offset !== -1; offset = findStartCode(video, offset + 4)) {
    const sequence = readSequence(video, offset);
    if (sequence) return sequence;
  }
  return undefined;
}

function isVideoCode(code: number): boolean {
  return code >= 0xe0 && code <= 0xef;
}

/** True for packets with timestamps: private stream 1 (AC-3 and the like), audio and video. */
function isMediaCode(code: number): boolean {
  return code === 0xbd || (code >= 0xc0 && code <= 0xef);
}

/** Reads a packet header, MPEG-2 or MPEG-1. `payloadOffset` counts from the packet's start. */
function readPacketHeader(bytes: Buffer, offset: number): PacketHeader | undefined {
  if (offset + 9 > bytes.length) return undefined;
  const first = bytes.readUInt8(offset + 6);
  if (first >> 6 === 2) {
    const hasTime = (bytes.readUInt8(offset + 7) & 0x80) !== 0;
    return {
      payloadOffset: 9 + bytes.readUInt8(offset + 8),
      seconds: hasTime ? readSeconds(bytes, offset + 9) : undefined,
    };
  }
  let position = 6;
  while (position < 6 + 16 && bytes[offset + position] === 0xff) position += 1;
  if ((bytes[offset + position] ?? 0) >> 6 === 1) position += 2;
  const kind = (bytes[offset + position] ?? 0) >> 4;
  if (kind === 2) return { payloadOffset: position + 5, seconds: readSeconds(bytes, offset + position) };
  if (kind === 3) return { payloadOffset: position + 10, seconds: readSeconds(bytes, offset + position) };
  return bytes[offset + position] === 0x0f ? { payloadOffset: position + 1, seconds: undefined } : undefined;
}

/** Reads 33 bits of time from five bytes, between marker bits. */
function readSeconds(bytes: Buffer, offset: number): number | undefined {
  if (offset + 5 > bytes.length) return undefined;
  const first = bytes.readUInt8(offset);
  const middle = bytes.readUInt16BE(offset + 1);
  const last = bytes.readUInt16BE(offset + 3);
  if (!(first & middle & last & 1)) return undefined;
  return (((first >> 1) & 7) * 2 ** 30 + (middle >> 1) * 2 ** 15 + (last >> 1)) / ticksPerSecond;
}

async function findLastSeconds(reader: ByteReader): Promise<number | undefined> {
  const tail = await reader.readBytesUpTo(Math.max(0, reader.sizeBytes - tailBytes), tailBytes);
  let lastSeconds: number | undefined;
  for (let offset = findStartCode(tail, 0); offset !== -1; offset = findStartCode(tail, offset + 4)) {
    const code = tail.readUInt8(offset + 3);
    if (code === endCode || !isMediaCode(code)) continue;
    const seconds = readPacketHeader(tail, offset)?.seconds;
    if (seconds !== undefined) lastSeconds = Math.max(lastSeconds ?? 0, seconds);
  }
  return lastSeconds;
}
