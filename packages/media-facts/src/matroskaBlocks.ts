/** Reads Matroska's clusters and their blocks: checks that the first one parses, and finds the time of the last. */

import type { ByteReader } from './byteReader.ts';
import { type EbmlElement, readElement, readElements, readUnsigned, readVariableNumber } from './ebml.ts';

type Block = { readonly track: number; readonly relativeUnits: number; readonly isComplete: boolean };

export const clusterId = 0x1f43b675;
const clusterMark = Buffer.from('1f43b675', 'hex');
const ids = { timestamp: 0xe7, simpleBlock: 0xa3, blockGroup: 0xa0, block: 0xa1 } as const;
/** Elements with four-byte identifiers stand beside clusters. Any of them ends a cluster of unknown size. */
const topLevelIdMin = 0x10000000;
const blockHeaderBytesMax = 12;
const lacedFramesBytesMax = 256 * 8; // the frame sizes of a laced block
const tailStepBytes = 256 * 1024;
const tailBytesMax = 4 * 1024 * 1024; // browsers begin a cluster every few seconds

/** True if a cluster's first block lies in the file, belongs to a known track and splits into whole frames. */
export async function holdsBlock(
  reader: ByteReader,
  cluster: EbmlElement,
  tracks: readonly number[],
): Promise<boolean> {
  for await (const element of readBlocks(reader, cluster)) {
    const block = await readBlock(reader, element);
    return block?.isComplete === true && tracks.includes(block.track);
  }
  return false;
}

async function* readBlocks(reader: ByteReader, cluster: EbmlElement): AsyncGenerator<EbmlElement> {
  for await (const element of readElements(reader, cluster.contentOffset, cluster.endOffset)) {
    if (element.id >= topLevelIdMin) return;
    if (element.id === ids.simpleBlock) yield element;
    if (element.id !== ids.blockGroup) continue;
    for await (const inner of readElements(reader, element.contentOffset, element.endOffset)) {
      if (inner.id === ids.block) yield inner;
    }
  }
}

async function readBlock(reader: ByteReader, element: EbmlElement): Promise<Block | undefined> {
  const lengthBytes = element.endOffset - element.contentOffset;
  const bytes = await reader.readBytesUpTo(element.contentOffset, Math.min(lengthBytes, blockHeaderBytesMax));
  const track = readVariableNumber(bytes, 0);
  if (!track || track.lengthBytes + 3 > bytes.length) return undefined;
  const headerBytes = track.lengthBytes + 3;
  const flags = bytes.readUInt8(headerBytes - 1);
  const frames = { offset: element.contentOffset + headerBytes, lengthBytes: lengthBytes - headerBytes };
  const isThere = frames.lengthBytes > 0 && element.endOffset <= reader.sizeBytes;
  return {
    track: track.value,
    relativeUnits: bytes.readInt16BE(track.lengthBytes),
    isComplete: isThere && (await fitsLacing(reader, frames, (flags >> 1) & 3)),
  };
}

/** True if the sizes of laced frames leave room for all frames. `lacing` comes from the block's flags. */
async function fitsLacing(
  reader: ByteReader,
  frames: { offset: number; lengthBytes: number },
  lacing: number,
): Promise<boolean> {
  if (lacing === 0) return true;
  const bytes = await reader.readBytesUpTo(frames.offset, Math.min(frames.lengthBytes, lacedFramesBytesMax));
  const count = (bytes[0] ?? 0) + 1;
  if (lacing === 2) return (frames.lengthBytes - 1) % count === 0 && frames.lengthBytes > count;
  const usedBytes = lacing === 1 ? sumXiphSizes(bytes, count) : sumEbmlSizes(bytes, count);
  return usedBytes !== undefined && usedBytes < frames.lengthBytes;
}

/** Counts the bytes of the sizes and of their frames, without the last. Each size sums bytes until one isn't 255. */
function sumXiphSizes(bytes: Buffer, count: number): number | undefined {
  let position = 1;
  let sum = 0;
  for (let left = count - 1; left > 0; position += 1) {
    const byte = bytes[position];
    if (byte === undefined) return undefined;
    sum += byte;
    if (byte !== 255) left -= 1;
  }
  return position + sum;
}

/** Like `sumXiphSizes`, for EBML lacing: a first size, then the difference of each further size to the one before. */
function sumEbmlSizes(bytes: Buffer, count: number): number | undefined {
  let position = 1;
  let size = 0;
  let sum = 0;
  for (let index = 0; index < count - 1; index += 1) {
    const number = readVariableNumber(bytes, position);
    if (!number) return undefined;
    position += number.lengthBytes;
    size = index === 0 ? number.value : size + number.value - (2 ** (7 * number.lengthBytes - 1) - 1);
    if (size < 0) return undefined;
    sum += size;
  }
  return position + sum;
}

/** Returns the last block's time in the file's time units, if its cluster begins near the end. */
export async function findLastTimestamp(reader: ByteReader): Promise<number | undefined> {
  for (let bytes = tailStepBytes; bytes <= tailBytesMax; bytes += tailStepBytes) {
    const offset = Math.max(0, reader.sizeBytes - bytes);
    // The overlap finds a mark that crosses two steps.
    const step = await reader.readBytesUpTo(offset, tailStepBytes + clusterMark.length);
    const at = step.lastIndexOf(clusterMark);
    if (at !== -1) return readLastTimestamp(reader, offset + at);
    if (offset === 0) return undefined;
  }
  return undefined;
}

async function readLastTimestamp(reader: ByteReader, offset: number): Promise<number | undefined> {
  const cluster = await readElement(reader, offset);
  if (!cluster) return undefined;
  let clusterUnits: number | undefined;
  let lastUnits = 0;
  for await (const element of readElements(reader, cluster.contentOffset, cluster.endOffset)) {
    if (element.id !== ids.timestamp) continue;
    clusterUnits = await readUnsigned(reader, element);
    break;
  }
  for await (const element of readBlocks(reader, cluster)) {
    lastUnits = Math.max(lastUnits, (await readBlock(reader, element))?.relativeUnits ?? 0);
  }
  return clusterUnits === undefined ? undefined : clusterUnits + lastUnits;
}
