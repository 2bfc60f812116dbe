/** A file of the journal: frames one after another, handed to ClickHouse as one insert and then removed. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { hasCode } from '@tapedeck/durable-files';
import { emptyRange, type RowRange, widenRange } from '../../blocks/native.ts';
import { encodeFrame, type FrameContent, seedOf } from '../frame.ts';
import type { BlockExtents, KeyRecord, Segment } from '../journal.ts';
import type { JournalDisk, JournalFile } from './disk.ts';

export type FileSegment = Segment & {
  directory: string;
  /** Its checksums start from this seed. */
  seed: number;
  file: JournalFile;
  frames: number;
  keys: KeyRecord[];
  /** True if some of its bytes cannot be read as they were written. It is then kept aside instead of removed. */
  isDamaged: boolean;
  /** A file that marks where the segment ends, if the segment could not be truncated. It then accepts nothing more. */
  cutMark: string | null;
};

const suffix = '.journal';
const cutSuffix = '.cut';
const namePattern = /^\d{16}-[0-9a-f]{16}-([0-9a-f]{8})$/;
const readBytes = 1024 * 1024; // few calls for a whole segment, and little memory

export function segmentPath(segment: { directory: string; name: string }): string {
  return path.join(segment.directory, segment.name + suffix);
}

type FoundSegment = { name: string; cutAt: number | null };

/** Lists the segments in a directory, oldest first, each with the length in its cut mark, if any. */
export async function listSegments(disk: JournalDisk, directory: string): Promise<FoundSegment[]> {
  const cuts = new Map<string, number>();
  const names: string[] = [];
  for (const fileName of await disk.list(directory)) {
    const [name = '', cutAt] = fileName.split('.');
    if (!namePattern.test(name)) continue;
    if (fileName.endsWith(cutSuffix)) cuts.set(name, Number(cutAt));
    if (fileName === name + suffix) names.push(name);
  }
  return names.sort().map(name => ({ name, cutAt: cuts.get(name) ?? null }));
}

/** Removes marks whose segments are gone; a crash between the two removals leaves such marks. */
export async function removeLeftMarks(disk: JournalDisk, directory: string): Promise<void> {
  const fileNames = new Set(await disk.list(directory));
  const left = [...fileNames].filter(fileName => {
    const [name = ''] = fileName.split('.');
    return namePattern.test(name) && fileName.endsWith(cutSuffix) && !fileNames.has(name + suffix);
  });
  if (left.length === 0) return;
  await disk.syncDirectory(directory); // as in `removeSegment`
  for (const fileName of left) await disk.remove(path.join(directory, fileName));
}

/**
 * Removes the bytes after the segment's length, so that no later start finds them. If the file cannot be truncated, a cut
 * mark beside it says where it ends, and nothing more may be appended. Rejects when neither is possible.
 */
export async function cutSegment(disk: JournalDisk, segment: FileSegment): Promise<void> {
  try {
    await segment.file.truncate(segment.length);
    await segment.file.sync();
  } catch {
    segment.cutMark = cutMarkPath(segment, segment.length);
    await disk.remove(segment.cutMark);
    await (await disk.create(segment.cutMark)).close();
    await disk.syncDirectory(segment.directory);
  }
}

function cutMarkPath(segment: { directory: string; name: string }, length: number): string {
  return path.join(segment.directory, `${segment.name}.${length}${cutSuffix}`);
}

/** Creation time of the latest segment. Two segments created within a millisecond must still sort in order. */
let createdAtMicros = 0;

/** Resolves once the empty file survives a power cut. */
export async function createSegment(
  disk: JournalDisk,
  directory: string,
  shard: string,
): Promise<FileSegment> {
  createdAtMicros = Math.max(Date.now() * 1000, createdAtMicros + 1);
  const name = `${String(createdAtMicros).padStart(16, '0')}-${randomBytes(8).toString('hex')}-${shard}`;
  const file = await disk.create(segmentPath({ directory, name }));
  try {
    await disk.syncDirectory(directory);
  } catch (error) {
    await file.close();
    throw error;
  }
  return describeSegment(directory, name, file);
}

export async function openSegment(
  disk: JournalDisk,
  directory: string,
  { name, cutAt }: FoundSegment,
): Promise<FileSegment> {
  const segment = describeSegment(directory, name, await disk.open(segmentPath({ directory, name })));
  segment.isUncertain = true;
  if (cutAt !== null) segment.cutMark = cutMarkPath(segment, cutAt);
  return segment;
}

function describeSegment(directory: string, name: string, file: JournalFile): FileSegment {
  const segment: FileSegment = {
    name,
    directory,
    shard: namePattern.exec(name)?.[1] ?? '',
    seed: seedOf(name),
    file,
    length: 0,
    frames: 0,
    rows: 0,
    blockBytes: 0,
    extents: { offsets: [], lengths: [], checksums: [], writtenAts: [] },
    range: emptyRange(),
    keys: [],
    firstGroup: 0,
    isSpread: false,
    isUncertain: false,
    isDamaged: false,
    cutMark: null,
    read: (into, position) => file.read(into, position),
    dropDamaged: () => dropDamagedBlocks(segment),
  };
  return segment;
}

/** Resolves once the frame survives a power cut. If it rejects, the caller must cut the segment back to its length. */
export async function appendFrame(segment: FileSegment, content: FrameContent): Promise<void> {
  const { pieces, headBytes, blockBytes, blockChecksum } = encodeFrame(content, segment.seed);
  await segment.file.write(pieces, segment.length);
  await segment.file.sync();
  addFrame(segment, {
    offset: segment.length + headBytes,
    length: blockBytes,
    checksum: blockChecksum,
    rows: content.rows,
    range: content.range,
    writtenAt: content.writtenAt,
  });
  segment.keys.push(...content.keys);
}

type BlockPlace = {
  offset: number;
  length: number;
  checksum: number;
  rows: number;
  range: RowRange;
  writtenAt: number;
};

/** Adds a complete frame to the segment's counts and extents. */
export function addFrame(segment: FileSegment, block: BlockPlace): void {
  segment.extents.offsets.push(block.offset);
  segment.extents.lengths.push(block.length);
  segment.extents.checksums.push(block.checksum);
  segment.extents.writtenAts.push(block.writtenAt);
  segment.length = block.offset + block.length;
  segment.frames++;
  segment.rows += block.rows;
  segment.blockBytes += block.length;
  widenRange(segment.range, block.range);
}

/** Drops blocks whose bytes do not match their checksums; returns how many. */
export async function dropDamagedBlocks(segment: FileSegment): Promise<number> {
  const kept: BlockExtents = { offsets: [], lengths: [], checksums: [], writtenAts: [] };
  const { offsets, lengths, checksums, writtenAts } = segment.extents;
  let keptBytes = 0;
  for (const [index, offset] of offsets.entries()) {
    const length = lengths[index]!;
    const checksum = checksums[index]!;
    if (!(await isBlockWhole(segment, { offset, length, checksum }))) continue;
    kept.offsets.push(offset);
    kept.lengths.push(length);
    kept.checksums.push(checksum);
    kept.writtenAts.push(writtenAts[index]!);
    keptBytes += length;
  }
  segment.extents = kept;
  segment.blockBytes = keptBytes;
  const dropped = offsets.length - kept.offsets.length;
  segment.isDamaged ||= dropped > 0;
  return dropped;
}

/** Also returns false when the disk reports EIO. Other read errors say nothing about the bytes, and are thrown. */
export async function isBlockWhole(
  segment: FileSegment,
  { offset, length, checksum }: Pick<BlockPlace, 'offset' | 'length' | 'checksum'>,
): Promise<boolean> {
  try {
    return (await checksumRange(segment, offset, length)) === checksum;
  } catch (error) {
    if (hasCode(error, ['EIO'])) return false;
    throw error;
  }
}

/** Returns -1 if the file ends before the range does. */
async function checksumRange(segment: FileSegment, offset: number, length: number): Promise<number> {
  const chunk = Buffer.allocUnsafe(Math.min(readBytes, length));
  let checksum = segment.seed;
  for (let done = 0; done < length; ) {
    const part = chunk.subarray(0, Math.min(chunk.length, length - done));
    if ((await segment.file.read(part, offset + done)) < part.length) return -1;
    checksum = crc32(part, checksum);
    done += part.length;
  }
  return checksum;
}

export async function removeSegment(disk: JournalDisk, segment: FileSegment): Promise<void> {
  await segment.file.close();
  await disk.remove(segmentPath(segment));
  if (segment.cutMark === null) return;
  // Without this sync, a power cut could leave the segment without its mark, and the bytes after the mark would count again.
  await disk.syncDirectory(segment.directory);
  await disk.remove(segment.cutMark);
}
