/** Reads the blocks of a segment for sending: merges small neighbours, and leaves all others as they are. */

import { mergeBlocks } from '../../blocks/nativeMerging.ts';
import type { Segment } from '../../journal/journal.ts';

const runBytesMax = 4 * 1024 * 1024; // of neighbours that are read at once and held in memory
const wholeBytesMax = 16 * 1024 * 1024; // of a single block: during a burst, one grows while the disk is slow to sync the last
const pieceBytes = 1024 * 1024; // for blocks larger than that
const smallBytesMax = 16 * 1024; // about 60 entries; merging larger blocks costs more here than it saves the engine

export async function* readBlocks(segment: Segment): AsyncGenerator<Buffer> {
  const { offsets, lengths } = segment.extents;
  for (let index = 0; index < offsets.length; ) {
    const end = findRunEnd(segment, index);
    if (lengths[index]! > wholeBytesMax) yield* readPieces(segment, offsets[index]!, lengths[index]!);
    else yield* mergeSmall(await readRun(segment, index, end));
    index = end;
  }
}

/** Whether `readBlocks` returns only whole blocks. */
export function hasWholeBlocks({ extents }: Segment): boolean {
  return extents.lengths.every(length => length <= wholeBytesMax);
}

/** Splits the segment into several, each as small as its blocks allow. */
export function splitSegment(segment: Segment): Segment[] {
  const pieces: Segment[] = [];
  for (let first = 0; first < segment.extents.offsets.length; ) {
    const end = findRunEnd(segment, first);
    pieces.push(cutOut(segment, first, end));
    first = end;
  }
  return pieces;
}

/** Returns the blocks from `first` until before `end` as a separate segment. */
export function cutOut(segment: Segment, first: number, end: number): Segment {
  const { offsets, lengths, checksums, writtenAts } = segment.extents;
  const cut = (numbers: readonly number[]) => numbers.slice(first, end);
  const extents = {
    offsets: cut(offsets),
    lengths: cut(lengths),
    checksums: cut(checksums),
    writtenAts: cut(writtenAts),
  };
  return { ...segment, extents };
}

/** Returns the index after the last block that is read together with the given one. */
function findRunEnd({ extents: { offsets, lengths } }: Segment, first: number): number {
  const limit = offsets[first]! + runBytesMax;
  let end = first + 1;
  while (end < offsets.length && offsets[end]! + lengths[end]! <= limit) end++;
  return end;
}

async function readRun(segment: Segment, first: number, end: number): Promise<Buffer[]> {
  const { offsets, lengths } = segment.extents;
  const from = offsets[first]!;
  const to = offsets[end - 1]! + lengths[end - 1]!;
  const run = await readRange(segment, from, to - from).catch(() => null);
  const blocks: Buffer[] = [];
  for (let index = first; index < end; index++) {
    const start = offsets[index]! - from;
    const length = lengths[index]!;
    // The unreadable bytes may belong to a damaged block between these, which was dropped.
    blocks.push(run?.subarray(start, start + length) ?? (await readRange(segment, offsets[index]!, length)));
  }
  return blocks;
}

function* mergeSmall(blocks: readonly Buffer[]): Generator<Buffer> {
  let small: Buffer[] = [];
  for (const block of blocks) {
    if (block.length <= smallBytesMax) {
      small.push(block);
      continue;
    }
    if (small.length > 0) yield mergeBlocks(small);
    small = [];
    yield block;
  }
  if (small.length > 0) yield mergeBlocks(small);
}

async function* readPieces(segment: Segment, offset: number, length: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < length; ) {
    const piece = await readRange(segment, offset + done, Math.min(pieceBytes, length - done));
    done += piece.length;
    yield piece;
  }
}

async function readRange(segment: Segment, position: number, length: number): Promise<Buffer> {
  const into = Buffer.allocUnsafeSlow(length);
  const count = await segment.read(into, position);
  if (count < length) throw new Error(`Segment ${segment.name} is shorter than it was.`);
  return into;
}
