/**
 * Finds the segments that an earlier run left in the journal. Acknowledged entries are never dropped silently:
 * - Only the newest segment with content can end in an unfinished write, because a group is written only after
 *   the previous one is synced. Such a write was never acknowledged, so it is cut off. If the clock was set back, the
 *   segment looks older and counts as damaged.
 * - If an unfinished write cannot be told from damage, its bytes are copied and synced before they are cut off. If they
 *   cannot be copied, for example because the disk is full, they stay and the segment counts as damaged.
 * - Unreadable bytes with frames after them were acknowledged and damaged later. The frames around them are recovered,
 *   the segment is kept aside, and a warning is logged.
 */
import path from 'node:path';
import type { Logger } from '../../logger.ts';
import {
  decodeKeyRecord,
  type FrameHeader,
  findMagic,
  frameHeaderBytes,
  keyRecordBytes,
  measureFrameHeader,
  readFrameHeader,
} from '../frame.ts';
import type { JournalDisk, JournalFile } from './disk.ts';
import {
  addFrame,
  type FileSegment,
  isBlockWhole,
  listSegments,
  openSegment,
  removeLeftMarks,
  removeSegment,
  segmentPath,
} from './segment.ts';

type RecoveryDeps = { disk: JournalDisk; log: Logger };

const headReadBytes = 4_096; // a header and the key records of most groups
const searchReadBytes = 1024 * 1024;
export const damagedFolder = 'damaged';

/** Returns the segments with content, oldest first. Removes empty ones, and marks without a segment. */
export async function recoverSegments(deps: RecoveryDeps, directory: string): Promise<FileSegment[]> {
  const { disk } = deps;
  const recovered: FileSegment[] = [];
  let isNewest = true;
  for (const found of (await listSegments(disk, directory)).toReversed()) {
    const segment = await openSegment(disk, directory, found);
    const sizeBytes = found.cutAt ?? (await segment.file.size());
    await readSegment(deps, segment, { sizeBytes, isNewest });
    if (sizeBytes > 0) isNewest = false;
    if (segment.frames === 0 && !segment.isDamaged) await removeSegment(disk, segment);
    else recovered.push(segment);
  }
  await removeLeftMarks(disk, directory);
  return recovered.reverse();
}

type Extent = { sizeBytes: number; isNewest: boolean };

async function readSegment(
  deps: RecoveryDeps,
  segment: FileSegment,
  { sizeBytes, isNewest }: Extent,
): Promise<void> {
  let position = 0;
  while (position < sizeBytes) {
    const frame = await readFrame(segment, position, sizeBytes);
    if (frame !== null) {
      if (!(await isLastFrameWhole(segment, position, { frame, sizeBytes }))) break;
      takeFrame(segment, position, frame);
      position = segment.length;
      continue;
    }
    const next = await findFrame(segment, position + 1, sizeBytes);
    if (next === null) break;
    reportDamage(deps, segment, { from: position, to: next });
    position = next;
  }
  if (isNewest) await cutTail(deps, segment, sizeBytes);
  else if (position < sizeBytes) reportDamage(deps, segment, { from: position, to: sizeBytes });
}

type FoundFrame = FrameHeader & { records: Buffer };

/** Reads the frame at the position; null unless its header is whole and its block lies within the file. */
async function readFrame(
  segment: FileSegment,
  position: number,
  sizeBytes: number,
): Promise<FoundFrame | null> {
  let head = await readRange(segment.file, position, Math.min(headReadBytes, sizeBytes - position));
  const needed = measureFrameHeader(head);
  if (needed === null || position + needed > sizeBytes) return null;
  if (needed > head.length) head = await readRange(segment.file, position, needed);
  const header = readFrameHeader(head, 0, segment.seed);
  if (header === null || position + needed + header.blockBytes > sizeBytes) return null;
  return { ...header, records: head.subarray(header.headerBytes, needed) };
}

function takeFrame(segment: FileSegment, position: number, frame: FoundFrame): void {
  const { records } = frame;
  for (let at = 0; at < records.length; at += keyRecordBytes) {
    segment.keys.push(decodeKeyRecord(records.subarray(at, at + keyRecordBytes)));
  }
  const offset = position + frame.headerBytes + records.length;
  const { blockBytes: length, blockChecksum: checksum, rows, range, writtenAt } = frame;
  addFrame(segment, { offset, length, checksum, rows, range, writtenAt });
}

/** Finds the start of the next whole frame; null if there is none. */
async function findFrame(segment: FileSegment, from: number, sizeBytes: number): Promise<number | null> {
  const overlap = 3; // a magic may straddle two reads
  for (let base = from; base < sizeBytes; base += searchReadBytes) {
    const bytes = await readRange(segment.file, base, Math.min(searchReadBytes + overlap, sizeBytes - base));
    for (let at = findMagic(bytes, 0); at !== -1; at = findMagic(bytes, at + 1)) {
      if ((await readFrame(segment, base + at, sizeBytes)) !== null) return base + at;
    }
  }
  return null;
}

type LastFrame = { frame: FoundFrame; sizeBytes: number };

/**
 * A power cut may leave a header without all of its block, and keys whose requests were never answered. If the clock
 * was set back between two runs, this can happen in an older segment as well. Earlier blocks are checked when they are
 * sent.
 */
async function isLastFrameWhole(
  segment: FileSegment,
  position: number,
  { frame, sizeBytes }: LastFrame,
): Promise<boolean> {
  const offset = position + frame.headerBytes + frame.records.length;
  if (offset + frame.blockBytes < sizeBytes) return true;
  return isBlockWhole(segment, { offset, length: frame.blockBytes, checksum: frame.blockChecksum });
}

/** Cuts off the bytes after the last whole frame, unless they may have been acknowledged and cannot be kept aside. */
async function cutTail(deps: RecoveryDeps, segment: FileSegment, sizeBytes: number): Promise<void> {
  const cutBytes = sizeBytes - segment.length;
  if (cutBytes === 0) return;
  const facts = { segment: segment.name, cutBytes };
  if (await isUnfinished(segment, cutBytes))
    deps.log.warn(facts, 'removed an unfinished write from the end of the journal');
  else if (!(await keepTail(deps, segment, sizeBytes))) return;
  await segment.file.truncate(segment.length);
  await segment.file.sync();
}

/** Returns true only if the file provably ends too early for the frame that begins there. */
async function isUnfinished(segment: FileSegment, tailBytes: number): Promise<boolean> {
  if (tailBytes < frameHeaderBytes) return true;
  const head = await readRange(segment.file, segment.length, frameHeaderBytes);
  const needed = measureFrameHeader(head);
  if (needed === null || needed > tailBytes) return false;
  const header = readFrameHeader(await readRange(segment.file, segment.length, needed), 0, segment.seed);
  return header !== null && needed + header.blockBytes > tailBytes;
}

/**
 * Copies the tail to a separate file. It comes from a power cut or from damage to acknowledged frames, which look alike.
 * Returns true once the copy survives a power cut. Otherwise the tail stays where it is and does not stop the start.
 */
async function keepTail(
  { disk, log }: RecoveryDeps,
  segment: FileSegment,
  sizeBytes: number,
): Promise<boolean> {
  const folder = path.join(segment.directory, damagedFolder);
  const file = path.join(folder, `${segment.name}.${segment.length}.tail`);
  const facts = { segment: segment.name, file };
  try {
    await writeTail(disk, segment, { sizeBytes, file });
    await disk.syncDirectory(folder);
    await disk.syncDirectory(segment.directory);
    log.error(facts, 'the end of the journal cannot be read; it was moved aside');
    return true;
  } catch (error) {
    segment.isDamaged = true;
    const sentence = `the end of the journal cannot be read, nor moved aside; its segment will be kept in the folder ${damagedFolder}`;
    log.error({ ...facts, err: error }, sentence);
    await disk.remove(file).catch(() => {}); // the next start creates it again
    return false;
  }
}

async function writeTail(
  disk: JournalDisk,
  segment: FileSegment,
  { sizeBytes, file }: { sizeBytes: number; file: string },
): Promise<void> {
  const tail = await readRange(segment.file, segment.length, sizeBytes - segment.length);
  await disk.makeDirectory(path.dirname(file));
  await disk.remove(file); // left by a start that ended here
  await using kept = await disk.create(file);
  await kept.write([tail], 0);
  await kept.sync();
}

/** Moves a damaged segment aside, once its readable blocks are in the engine. */
export async function keepDamagedSegment(disk: JournalDisk, segment: FileSegment): Promise<void> {
  const folder = path.join(segment.directory, damagedFolder);
  await disk.makeDirectory(folder);
  await segment.file.close();
  const from = segmentPath(segment);
  await disk.rename(from, path.join(folder, path.basename(from)));
}

function reportDamage(
  { log }: RecoveryDeps,
  segment: FileSegment,
  range: { from: number; to: number },
): void {
  segment.isDamaged = true;
  log.error(
    { segment: segment.name, ...range },
    `part of the journal is damaged and cannot be read; the segment is kept in the folder ${damagedFolder}`,
  );
}

async function readRange(file: JournalFile, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, await file.read(bytes, position));
}
