/**
 * Removes locations from MP4 and QuickTime files. Boxes with a location become free space, and locations in QuickTime's metadata become
 * zeros. Doesn't look into separate tracks that a camera records beside the picture.
 */
import type { BytePatch, PieceReader } from './patches.ts';
import { blankXmp, packetBytesMax } from './xmpLocations.ts';

type Box = { type: string; offset: number; contentOffset: number; endOffset: number };

const opened = ['moov', 'trak', 'udta'];
const placeTypes = ['\u00a9xyz', 'loci']; // QuickTime's and 3GPP's
const packetTypes = ['uuid', 'XMP_'];
const xmpId = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex'); // XMP specification, part 3
const depthMax = 8;
const placeKey = /location/i; // such as com.apple.quicktime.location.ISO6709

export async function findIsoLocations(reader: PieceReader): Promise<BytePatch[]> {
  const patches: BytePatch[] = [];
  await patchBoxes(reader, { start: 0, end: reader.sizeBytes, depth: 0 }, patches);
  return patches;
}

type Row = { start: number; end: number; depth: number };

async function patchBoxes(
  reader: PieceReader,
  { start, end, depth }: Row,
  patches: BytePatch[],
): Promise<void> {
  for await (const box of readRow(reader, start, end)) {
    const inside = { start: box.contentOffset, end: box.endOffset, depth: depth + 1 };
    if (placeTypes.includes(box.type)) patches.push(freeBox(box));
    else if (packetTypes.includes(box.type)) patches.push(...(await blankPacket(reader, box)));
    else if (box.type === 'meta') patches.push(...(await findKeyedPlaces(reader, box)));
    else if (opened.includes(box.type) && depth < depthMax) await patchBoxes(reader, inside, patches);
  }
}

async function* readRow(reader: PieceReader, start: number, end: number): AsyncGenerator<Box> {
  let offset = start;
  while (offset + 8 <= end) {
    const head = await reader.read(offset, 16);
    if (head.length < 8) return;
    let sizeBytes = head.readUInt32BE(0);
    let headerBytes = 8;
    if (sizeBytes === 1 && head.length === 16) {
      sizeBytes = Number(head.readBigUInt64BE(8));
      headerBytes = 16;
    } else if (sizeBytes === 0) sizeBytes = end - offset;
    if (sizeBytes < headerBytes) return;
    const endOffset = Math.min(offset + sizeBytes, end);
    const type = head.toString('latin1', 4, 8);
    yield { type, offset, contentOffset: offset + headerBytes, endOffset };
    offset += sizeBytes;
  }
}

/** Overwrites type and content. The size stays. */
function freeBox({ offset, contentOffset, endOffset }: Box): BytePatch {
  const bytes = Buffer.alloc(Math.min(endOffset - offset - 4, packetBytesMax));
  bytes.write('free', 0, 'latin1');
  // A 64-bit size stands between type and content.
  if (contentOffset - offset === 16) bytes.writeBigUInt64BE(BigInt(endOffset - offset), 4);
  return { offset: offset + 4, bytes };
}

async function blankPacket(
  reader: PieceReader,
  { type, contentOffset, endOffset }: Pick<Box, 'type' | 'contentOffset' | 'endOffset'>,
): Promise<BytePatch[]> {
  const lengthBytes = endOffset - contentOffset;
  if (lengthBytes > packetBytesMax) return await blankLongPacket(reader, { contentOffset, endOffset, type });
  const bytes = blankXmp(await reader.read(contentOffset, lengthBytes));
  return bytes === null ? [] : [{ offset: contentOffset, bytes }];
}

/** Blanks XMP of a length that is not searched. Other boxes with a UUID may be as long, and belong to programs that this package doesn't know. */
async function blankLongPacket(
  reader: PieceReader,
  { type, contentOffset, endOffset }: Pick<Box, 'type' | 'contentOffset' | 'endOffset'>,
): Promise<BytePatch[]> {
  const idBytes = type === 'uuid' ? xmpId.length : 0;
  if (type === 'uuid' && !xmpId.equals(await reader.read(contentOffset, idBytes))) return [];
  const patches: BytePatch[] = [];
  for (let offset = contentOffset + idBytes; offset < endOffset; offset += packetBytesMax) {
    const bytes = Buffer.alloc(Math.min(packetBytesMax, endOffset - offset), ' ');
    reader.count(bytes.length);
    patches.push({ offset, bytes });
  }
  return patches;
}

/** Finds locations in QuickTime's metadata: names in `keys`, and values by their numbers in `ilst`. */
async function findKeyedPlaces(reader: PieceReader, meta: Box): Promise<BytePatch[]> {
  const head = await reader.read(meta.contentOffset, 8);
  // MP4 puts a version in front, QuickTime doesn't.
  const start = meta.contentOffset + (head.toString('latin1', 4, 8) === 'hdlr' ? 0 : 4);
  const patches: BytePatch[] = [];
  let numbers = new Set<number>();
  for await (const box of readRow(reader, start, meta.endOffset)) {
    if (box.type === 'keys') numbers = await findPlaceKeys(reader, box);
    if (box.type !== 'ilst') continue;
    for await (const item of readRow(reader, box.contentOffset, box.endOffset)) {
      if (placeTypes.includes(item.type)) patches.push(freeBox(item));
      else if (numbers.has(Buffer.from(item.type, 'latin1').readUInt32BE())) patches.push(blankValue(item));
    }
  }
  return patches;
}

async function findPlaceKeys(reader: PieceReader, { contentOffset, endOffset }: Box): Promise<Set<number>> {
  const bytes = await reader.read(contentOffset, Math.min(endOffset - contentOffset, packetBytesMax));
  const numbers = new Set<number>();
  let offset = 8; // version and count
  for (let number = 1; offset + 8 <= bytes.length; number += 1) {
    const sizeBytes = bytes.readUInt32BE(offset);
    if (sizeBytes < 8) break;
    if (placeKey.test(bytes.toString('latin1', offset + 8, offset + sizeBytes))) numbers.add(number);
    offset += sizeBytes;
  }
  return numbers;
}

/** Skips the headers of the item and its `data` box, and the value's type and language. */
function blankValue({ contentOffset, endOffset }: Box): BytePatch {
  const offset = Math.min(contentOffset + 16, endOffset);
  return { offset, bytes: Buffer.alloc(Math.min(endOffset - offset, packetBytesMax)) };
}
