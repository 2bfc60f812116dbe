/** The format of a journal object: one frame with a compressed block. Segments on disk hold many. */
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, crc32, zstdCompress, zstdDecompress } from 'node:zlib';
import { emptyRange, type RowRange, widenRange } from '../../blocks/native.ts';
import { encodeFrame, keyRecordBytes, readFrameHeader, seedOf } from '../frame.ts';
import type { BlockExtents, Segment } from '../journal.ts';

const microsDigits = 16;

/** Returns a unique name that begins with the time (given in Unix milliseconds). */
export function nameSegment(createdAt: number): string {
  const micros = String(Math.floor(createdAt) * 1000).padStart(microsDigits, '0');
  return `${micros}-${randomBytes(8).toString('hex')}`;
}

/** Returns the time in a name, or NaN for other names. */
export function readCreatedAt(name: string): number {
  return /^\d{16}-[0-9a-f]{16}$/.test(name) ? Number(name.slice(0, microsDigits)) / 1000 : Number.NaN;
}

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
// Sending and storing bytes costs more than compressing them: the store hashes and writes them, some stores three times.
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export type ObjectBlock = { block: Buffer; rows: number; range: RowRange };

export async function encodeObject(name: string, { block, rows, range }: ObjectBlock): Promise<Buffer> {
  const content = {
    rows,
    range,
    writtenAt: Date.now(),
    keys: [],
    block: [await compress(block, compression)],
  };
  return Buffer.concat(encodeFrame(content, seedOf(name)).pieces);
}

/** Returns null unless the bytes are those that were written under the name. */
export async function decodeObject(name: string, bytes: Buffer): Promise<ObjectBlock | null> {
  const seed = seedOf(name);
  const header = readFrameHeader(bytes, 0, seed);
  if (header === null) return null;
  const compressed = bytes.subarray(header.headerBytes + header.keys * keyRecordBytes);
  if (compressed.length !== header.blockBytes || crc32(compressed, seed) !== header.blockChecksum)
    return null;
  return { block: await decompress(compressed), rows: header.rows, range: header.range };
}

/** Joins the blocks for one insert into a shard, with the time of each block's registration. */
export function joinBlocks(
  name: string,
  blocks: readonly (ObjectBlock & { registeredAt: number; isSpread: boolean })[],
): Segment {
  const extents: BlockExtents = { offsets: [], lengths: [], checksums: [], writtenAts: [] };
  const range = emptyRange();
  let length = 0;
  for (const { block, range: ofBlock, registeredAt } of blocks) {
    extents.offsets.push(length);
    extents.lengths.push(block.length);
    extents.checksums.push(0); // the blocks were checked when they were read
    extents.writtenAts.push(registeredAt);
    widenRange(range, ofBlock);
    length += block.length;
  }
  return {
    name,
    shard: '',
    length,
    extents,
    range,
    firstGroup: 0,
    isUncertain: false,
    rows: blocks.reduce((sum, { rows }) => sum + rows, 0),
    blockBytes: length,
    isSpread: blocks.some(({ isSpread }) => isSpread),
    read: async (into, position) =>
      readAcross(
        blocks.map(({ block }) => block),
        into,
        position,
      ),
    dropDamaged: async () => 0,
  };
}

function readAcross(blocks: readonly Buffer[], into: Buffer, position: number): number {
  let done = 0;
  let start = 0;
  for (const block of blocks) {
    const from = position + done - start;
    if (from < block.length && done < into.length) done += block.copy(into, done, from);
    start += block.length;
  }
  return done;
}
