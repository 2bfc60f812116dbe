/** Reads the boxes of ISO base media and QuickTime files: sizes, types and contents. */

import { type ByteReader, readFourLetters } from './byteReader.ts';

export type IsoBox = {
  readonly type: string;
  readonly contentOffset: number;
  readonly endOffset: number;
};

const boxesMax = 2048; // in a row or below one box; a fragmented file has about four per second
const sizeIsLong = 1; // a 64-bit size follows the type
const sizeIsRest = 0; // the box ends with its parent

/** Reads the box at an offset. Returns undefined if its size doesn't fit its header or its parent. */
async function readBox(
  reader: ByteReader,
  offset: number,
  parentEndOffset: number,
): Promise<IsoBox | undefined> {
  const head = await reader.readBytesUpTo(offset, 16);
  if (head.length < 8 || offset + 8 > parentEndOffset) return undefined;
  let sizeBytes = head.readUInt32BE(0);
  let headerBytes = 8;
  if (sizeBytes === sizeIsLong) {
    if (head.length < 16) return undefined;
    sizeBytes = Number(head.readBigUInt64BE(8));
    headerBytes = 16;
  } else if (sizeBytes === sizeIsRest) {
    sizeBytes = (parentEndOffset === Infinity ? reader.sizeBytes : parentEndOffset) - offset;
  }
  const endOffset = offset + sizeBytes;
  if (sizeBytes < headerBytes || endOffset > parentEndOffset) return undefined;
  return {
    type: readFourLetters(head, 4),
    contentOffset: offset + headerBytes,
    endOffset,
  };
}

/** Yields boxes in order. At the top level nothing bounds them, so that a cut box still appears. */
export async function* readBoxes(
  reader: ByteReader,
  startOffset: number,
  parentEndOffset: number,
): AsyncGenerator<IsoBox> {
  let offset = startOffset;
  for (let count = 0; count < boxesMax; count += 1) {
    const box = await readBox(reader, offset, parentEndOffset);
    if (!box) return;
    yield box;
    offset = box.endOffset;
  }
}

/** Maps paths below a parent, such as `mdia/hdlr`, to their first box. Only looks into the given types. */
export async function mapBoxes(
  reader: ByteReader,
  parent: IsoBox,
  openedTypes: readonly string[],
): Promise<Map<string, IsoBox>> {
  const found = new Map<string, IsoBox>();
  const opened = [{ prefix: '', box: parent }];
  let count = 0;
  // The loop appends to this list: depth needs no stack, and the count bounds the total.
  for (const { prefix, box } of opened) {
    for await (const child of readBoxes(reader, box.contentOffset, box.endOffset)) {
      count += 1;
      if (count > boxesMax) return found;
      const path = prefix + child.type;
      if (found.has(path)) continue;
      found.set(path, child);
      if (openedTypes.includes(child.type)) opened.push({ prefix: `${path}/`, box: child });
    }
  }
  return found;
}
