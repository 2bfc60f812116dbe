/** Checks Ogg: pages that interleave streams. Any video stream makes the file video, otherwise any audio stream makes it audio. */

import { type ByteReader, readFourLetters } from './byteReader.ts';
import { type MediaContainer, type MediaFacts, roundDuration } from './container.ts';
import { identificationBytesMax, type OggCodec, readOggCodec } from './oggCodecs.ts';

type Page = {
  readonly serial: number;
  readonly isFirst: boolean;
  readonly isContinued: boolean;
  readonly segments: Buffer;
  readonly bodyOffset: number;
  readonly endOffset: number;
};
type Streams = {
  readonly codecs: Map<number, OggCodec>;
  readonly mainSerial: number;
  readonly endOffset: number;
};
/** The position within a stream after the pages read so far. */
type PacketCursor = { packets: number; isInside: boolean };

const headerBytes = 27;
const streamsMax = 64; // multiplexed streams each open with a separate page
const pagesMax = 4096; // headers with cover art take about ten
const tailBytesMax = 1024 * 1024; // a page has at most 64 KiB; other streams may close a file
const tailStepBytes = 256 * 1024;
const pageMark = Buffer.from('OggS');
const firstPageFlag = 2;
const continuedFlag = 1;

export const oggContainer: MediaContainer = {
  signature: { offset: 0, letters: ['OggS\0'], matches: null },
  checkStructure: checkOgg,
};

async function checkOgg(reader: ByteReader): Promise<MediaFacts | undefined> {
  const streams = await readStreams(reader);
  const main = streams?.codecs.get(streams.mainSerial);
  if (!streams || !main || !(await reachesData(reader, streams, main))) return undefined;
  return {
    format: main.kind === 'video' ? 'oggVideo' : 'oggAudio',
    width: main.width,
    height: main.height,
    durationSeconds: roundDuration(await findLastSeconds(reader, streams)),
  };
}

async function readPage(reader: ByteReader, offset: number): Promise<Page | undefined> {
  const head = await reader.readBytesUpTo(offset, headerBytes + 255);
  if (head.length < headerBytes || readFourLetters(head, 0) !== 'OggS' || head[4] !== 0) return undefined;
  const flags = head.readUInt8(5);
  const segments = head.subarray(headerBytes, headerBytes + head.readUInt8(26));
  if (segments.length < head.readUInt8(26)) return undefined;
  const bodyOffset = offset + headerBytes + segments.length;
  return {
    serial: head.readUInt32LE(14),
    isFirst: (flags & firstPageFlag) !== 0,
    isContinued: (flags & continuedFlag) !== 0,
    segments,
    bodyOffset,
    endOffset: segments.reduce((sum, length) => sum + length, bodyOffset),
  };
}

/** Reads the pages that open the streams, which come before all others, and verifies their checksums. */
async function readStreams(reader: ByteReader): Promise<Streams | undefined> {
  const codecs = new Map<number, OggCodec>();
  let offset = 0;
  for (let count = 0; count <= streamsMax; count += 1) {
    const page = await readPage(reader, offset);
    if (!page || (count === 0 && !page.isFirst)) return undefined;
    if (!page.isFirst) break;
    const bytes = await reader.readBytes(offset, page.endOffset - offset);
    if (!bytes || !hasRightSum(bytes)) return undefined;
    const packetOffset = page.bodyOffset - offset;
    const codec = readOggCodec(bytes.subarray(packetOffset, packetOffset + identificationBytesMax));
    if (codec) codecs.set(page.serial, codec);
    offset = page.endOffset;
  }
  const serials = [...codecs.keys()];
  const mainSerial = serials.find(serial => codecs.get(serial)?.kind === 'video') ?? serials[0];
  return mainSerial === undefined ? undefined : { codecs, mainSerial, endOffset: offset };
}

/** True if the main stream's remaining headers come, each with its mark, followed by a data packet. */
async function reachesData(reader: ByteReader, streams: Streams, main: OggCodec): Promise<boolean> {
  const cursor: PacketCursor = { packets: 0, isInside: false };
  let offset = streams.endOffset;
  for (let count = 0; count < pagesMax; count += 1) {
    const page = await readPage(reader, offset);
    if (!page) return false;
    offset = page.endOffset;
    if (page.serial !== streams.mainSerial) continue;
    if (!(await takePage(reader, page, { main, cursor }))) return false;
    if (cursor.packets > main.headers.length) return true;
  }
  return false;
}

/** Counts the packets that a page completes. Returns false if one isn't the expected header. */
async function takePage(
  reader: ByteReader,
  page: Page,
  state: { main: OggCodec; cursor: PacketCursor },
): Promise<boolean> {
  const { main, cursor } = state;
  if (page.isContinued !== cursor.isInside) return false;
  let offset = page.bodyOffset;
  for (const length of page.segments) {
    if (!cursor.isInside) {
      const mark = main.headers[cursor.packets] ?? '';
      const start = await reader.readBytesUpTo(offset, mark.length);
      if (start.toString('latin1') !== mark) return false;
    }
    offset += length;
    cursor.isInside = length === 255;
    if (offset > reader.sizeBytes) return false;
    if (!cursor.isInside) cursor.packets += 1;
    if (cursor.packets > main.headers.length) return true;
  }
  return true;
}

/** Returns the latest end among the streams, from the file's last pages; undefined if there are none. */
async function findLastSeconds(reader: ByteReader, streams: Streams): Promise<number | undefined> {
  for (let bytes = tailStepBytes; bytes <= tailBytesMax; bytes += tailStepBytes) {
    const offset = Math.max(streams.endOffset, reader.sizeBytes - bytes);
    const tail = await reader.readBytesUpTo(offset, tailStepBytes);
    const seconds = findLatestSeconds(tail, streams.codecs);
    if (seconds !== undefined || offset === streams.endOffset) return seconds;
  }
  return undefined;
}

function findLatestSeconds(tail: Buffer, codecs: Map<number, OggCodec>): number | undefined {
  let latest: number | undefined;
  for (let at = tail.indexOf(pageMark); at !== -1; at = tail.indexOf(pageMark, at + pageMark.length)) {
    if (at + headerBytes > tail.length || tail[at + 4] !== 0) continue;
    const codec = codecs.get(tail.readUInt32LE(at + 14));
    const granule = Number(tail.readBigInt64LE(at + 6));
    // A granule position of -1 means that no packet ends on the page.
    if (codec && granule >= 0) latest = Math.max(latest ?? 0, codec.toSeconds(granule));
  }
  return latest;
}

const sumTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) sum = sum & 0x80000000 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  return sum >>> 0;
});

/** RFC 3533, 6: a CRC over the page with the CRC's four bytes as zeros. */
function hasRightSum(page: Buffer): boolean {
  let sum = 0;
  for (let at = 0; at < page.length; at += 1) {
    const byte = at >= 22 && at < 26 ? 0 : page.readUInt8(at);
    sum = ((sum << 8) ^ (sumTable[((sum >>> 24) ^ byte) & 0xff] ?? 0)) >>> 0;
  }
  return sum === page.readUInt32LE(22);
}
