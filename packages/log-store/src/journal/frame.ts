/**
 * A frame of the journal holds what one group of requests stored, in one write: a header, the key records and the block.
 *
 *   0  magic            4 bytes
 *   4  key records      how many
 *   8  block bytes
 *  12  rows
 *  16  row range        four doubles: first and last time, lowest and highest identity
 *  48  written at       a double, Unix milliseconds by this machine's clock; missing in TDJ1 frames
 *  56  block checksum   crc32
 *  60  header checksum  crc32 of the 60 bytes before and of the key records
 *
 * Both checksums start from the checksum of the segment's name, so bytes of another file never pass for this one's.
 */
import { crc32 } from 'node:zlib';
import type { RowRange } from '../blocks/native.ts';
import type { KeyRecord } from './journal.ts';

export const frameHeaderBytes = 64;
const oldHeaderBytes = 56;
const checksumBytes = 4;
export const keyRecordBytes = 56;

const rangeFields = ['timeMin', 'timeMax', 'identityMin', 'identityMax'] as const;
const magic = 0x324a4454; // 'TDJ2'
const oldMagic = 0x314a4454; // 'TDJ1', of a journal that an earlier version left

export type FrameHeader = {
  /** Bytes of the header without the key records. */
  headerBytes: number;
  keys: number;
  blockBytes: number;
  rows: number;
  range: RowRange;
  /** Unix milliseconds, taken before any request was answered; infinite if unknown. */
  writtenAt: number;
  blockChecksum: number;
};

export type FrameContent = {
  rows: number;
  range: RowRange;
  writtenAt: number;
  keys: readonly KeyRecord[];
  block: readonly Buffer[];
};

type EncodedFrame = { pieces: Buffer[]; headBytes: number; blockBytes: number; blockChecksum: number };

/** Returns the frame's bytes in pieces, without copying those of the block. */
export function encodeFrame(content: FrameContent, seed: number): EncodedFrame {
  const head = Buffer.alloc(frameHeaderBytes);
  const keys = Buffer.concat(content.keys.map(encodeKeyRecord));
  let blockBytes = 0;
  let blockChecksum = seed;
  for (const piece of content.block) {
    blockBytes += piece.length;
    blockChecksum = crc32(piece, blockChecksum);
  }
  head.writeUInt32LE(magic, 0);
  head.writeUInt32LE(content.keys.length, 4);
  head.writeUInt32LE(blockBytes, 8);
  head.writeUInt32LE(content.rows, 12);
  for (const [index, name] of rangeFields.entries()) head.writeDoubleLE(content.range[name], 16 + index * 8);
  head.writeDoubleLE(content.writtenAt, 48);
  head.writeUInt32LE(blockChecksum, 56);
  head.writeUInt32LE(checksumHeader(head, keys, seed), 60);
  const pieces = [head, keys, ...content.block].filter(piece => piece.length > 0);
  return { pieces, headBytes: head.length + keys.length, blockBytes, blockChecksum };
}

/** Reads the header at the position; null if there is none, or it is damaged. */
export function readFrameHeader(bytes: Buffer, position: number, seed: number): FrameHeader | null {
  const headerBytes = readHeaderBytes(bytes, position);
  if (headerBytes === null) return null;
  const head = bytes.subarray(position, position + headerBytes);
  const keys = head.readUInt32LE(4);
  const keysEnd = position + headerBytes + keys * keyRecordBytes;
  if (keysEnd > bytes.length) return null;
  const records = bytes.subarray(position + headerBytes, keysEnd);
  const checksumAt = headerBytes - checksumBytes;
  if (checksumHeader(head, records, seed) !== head.readUInt32LE(checksumAt)) return null;
  return {
    headerBytes,
    keys,
    blockBytes: head.readUInt32LE(8),
    rows: head.readUInt32LE(12),
    range: readRange(head),
    writtenAt: headerBytes === frameHeaderBytes ? head.readDoubleLE(48) : Number.POSITIVE_INFINITY,
    blockChecksum: head.readUInt32LE(checksumAt - checksumBytes),
  };
}

/** Returns null if no header starts there. */
function readHeaderBytes(bytes: Buffer, position: number): number | null {
  if (position + oldHeaderBytes > bytes.length) return null;
  const found = bytes.readUInt32LE(position);
  if (found === oldMagic) return oldHeaderBytes;
  return found === magic && position + frameHeaderBytes <= bytes.length ? frameHeaderBytes : null;
}

function readRange(head: Buffer): RowRange {
  const [timeMin, timeMax, identityMin, identityMax] = rangeFields.map((_, index) =>
    head.readDoubleLE(16 + index * 8),
  );
  return { timeMin: timeMin!, timeMax: timeMax!, identityMin: identityMin!, identityMax: identityMax! };
}

/** Returns how many bytes `readFrameHeader` needs from this position on; null if there is no header. */
export function measureFrameHeader(head: Buffer): number | null {
  const headerBytes = readHeaderBytes(head, 0);
  return headerBytes === null ? null : headerBytes + head.readUInt32LE(4) * keyRecordBytes;
}

/** Finds the next bytes that look like a header, from this position on; -1 if there are none. */
export function findMagic(bytes: Buffer, position: number): number {
  for (let at = bytes.indexOf(commonMagic, position); at !== -1; at = bytes.indexOf(commonMagic, at + 1)) {
    const found = at + magicBytes <= bytes.length ? bytes.readUInt32LE(at) : 0;
    if (found === magic || found === oldMagic) return at;
  }
  return -1;
}

const magicBytes = 4;
const commonMagic = 'TDJ';

export function seedOf(segmentName: string): number {
  return crc32(segmentName);
}

function checksumHeader(head: Buffer, keys: Buffer, seed: number): number {
  return crc32(keys, crc32(head.subarray(0, head.length - checksumBytes), seed));
}

/** `disk/keys.ts` keeps key records for a day in this form, too. */
export function encodeKeyRecord(key: KeyRecord): Buffer {
  const record = Buffer.alloc(keyRecordBytes);
  key.scopeHash.copy(record, 0, 0, 16);
  key.bodyHash.copy(record, 16, 0, 16);
  key.traceId.copy(record, 32, 0, 16);
  record.writeDoubleLE(key.storedAt, 48);
  return record;
}

export function decodeKeyRecord(record: Buffer): KeyRecord {
  return {
    scopeHash: Buffer.from(record.subarray(0, 16)),
    bodyHash: Buffer.from(record.subarray(16, 32)),
    traceId: Buffer.from(record.subarray(32, 48)),
    storedAt: record.readDoubleLE(48),
  };
}
