/** Reads the tracks of an MP4 or QuickTime movie: their kind, picture size, and the place of their first sample. */

import { type ByteReader, readFourLetters } from './byteReader.ts';
import type { PictureSize } from './container.ts';
import { type IsoBox, mapBoxes, readBoxes } from './isoBoxes.ts';

export type Track = Partial<PictureSize> & {
  readonly id: number;
  readonly isVideo: boolean;
  readonly codec: string;
  readonly unitsPerSecond: number;
  readonly durationSeconds: number | undefined;
  readonly firstSample: SamplePlace | undefined;
  /** How many bytes store the length before each H.264 and H.265 unit; 0 for other codecs. */
  readonly unitLengthBytes: number;
};
export type SamplePlace = { readonly offset: number; readonly lengthBytes: number };

type SampleEntry = Partial<PictureSize> & { readonly codec: string; readonly unitLengthBytes: number };
type TrackHeader = { readonly id: number; readonly size: PictureSize; readonly isTurned: boolean };

export const tracksMax = 64; // action cameras write up to eight
const entryHeaderBytes = 86; // a visual sample entry up to its inner boxes
/** The box and offset where a codec's configuration says how many bytes a unit's length takes. */
const unitCodecs: Record<string, { box: string; offset: number }> = {
  avc1: { box: 'avcC', offset: 4 },
  avc3: { box: 'avcC', offset: 4 },
  hvc1: { box: 'hvcC', offset: 21 },
  hev1: { box: 'hvcC', offset: 21 },
};

export async function readTracks(reader: ByteReader, movie: IsoBox): Promise<Track[]> {
  const tracks: Track[] = [];
  for await (const box of readBoxes(reader, movie.contentOffset, movie.endOffset)) {
    if (box.type !== 'trak' || tracks.length === tracksMax) continue;
    const track = await readTrack(reader, box);
    if (track) tracks.push(track);
  }
  return tracks;
}

async function readTrack(reader: ByteReader, box: IsoBox): Promise<Track | undefined> {
  const boxes = await mapBoxes(reader, box, ['mdia', 'minf', 'stbl']);
  const header = await readTrackHeader(reader, boxes.get('tkhd'));
  const media = await readTimes(reader, boxes.get('mdia/mdhd'));
  const handler = await readContent(reader, boxes.get('mdia/hdlr'), 12);
  const entry = await readSampleEntry(reader, boxes.get('mdia/minf/stbl/stsd'));
  if (!header || !media || !handler || !entry) return undefined;
  const isVideo = readFourLetters(handler, 8) === 'vide';
  const width = entry.width || header.size.width;
  const height = entry.height || header.size.height;
  const size = header.isTurned ? { width: height, height: width } : { width, height };
  return {
    id: header.id,
    isVideo,
    codec: entry.codec,
    unitsPerSecond: media.unitsPerSecond,
    durationSeconds: media.durationSeconds,
    firstSample: await readFirstSample(reader, boxes),
    unitLengthBytes: entry.unitLengthBytes,
    ...(isVideo ? size : {}),
  };
}

async function readContent(
  reader: ByteReader,
  box: IsoBox | undefined,
  bytes: number,
): Promise<Buffer | undefined> {
  if (!box || box.contentOffset + bytes > box.endOffset) return undefined;
  return reader.readBytes(box.contentOffset, bytes);
}

/** Reads the time scale and duration, which movie and media headers both have. */
export async function readTimes(
  reader: ByteReader,
  box: IsoBox | undefined,
): Promise<{ unitsPerSecond: number; durationSeconds: number | undefined } | undefined> {
  const version = (await readContent(reader, box, 1))?.[0];
  const bytes = await readContent(reader, box, version === 1 ? 32 : 20);
  if (!bytes) return undefined;
  const unitsPerSecond = bytes.readUInt32BE(version === 1 ? 20 : 12);
  const duration = version === 1 ? Number(bytes.readBigUInt64BE(24)) : bytes.readUInt32BE(16);
  // All bits set means that the writer didn't know.
  const isUnknown = duration === 0 || duration === 0xffffffff || duration >= 2 ** 63;
  if (unitsPerSecond === 0) return undefined;
  return { unitsPerSecond, durationSeconds: isUnknown ? undefined : duration / unitsPerSecond };
}

async function readTrackHeader(
  reader: ByteReader,
  box: IsoBox | undefined,
): Promise<TrackHeader | undefined> {
  const version = (await readContent(reader, box, 1))?.[0];
  const longBytes = version === 1 ? 12 : 0;
  const bytes = await readContent(reader, box, 84 + longBytes);
  if (!bytes) return undefined;
  const matrix = 40 + longBytes;
  const [across, down] = [bytes.readInt32BE(matrix + 4), bytes.readInt32BE(matrix)];
  return {
    id: bytes.readUInt32BE(version === 1 ? 20 : 12),
    // Sixteen bits of the size are a fraction.
    size: { width: bytes.readUInt16BE(matrix + 36), height: bytes.readUInt16BE(matrix + 40) },
    isTurned: Math.abs(across) > Math.abs(down),
  };
}

/** Reads the first sample entry: its codec and, for pictures, its size. */
async function readSampleEntry(
  reader: ByteReader,
  box: IsoBox | undefined,
): Promise<SampleEntry | undefined> {
  const head = await readContent(reader, box, 16);
  if (!head || !box || head.readUInt32BE(4) === 0) return undefined;
  const codec = readFourLetters(head, 12);
  const startOffset = box.contentOffset + 8;
  const sizeBytes = head.readUInt32BE(8);
  if (sizeBytes < 8 || startOffset + sizeBytes > box.endOffset) return undefined;
  if (sizeBytes < entryHeaderBytes) return { codec, unitLengthBytes: 0 };
  const bytes = await reader.readBytes(startOffset, entryHeaderBytes);
  if (!bytes) return undefined;
  const endOffset = startOffset + sizeBytes;
  const inside = { type: codec, contentOffset: startOffset + entryHeaderBytes, endOffset };
  return {
    codec,
    width: bytes.readUInt16BE(32),
    height: bytes.readUInt16BE(34),
    unitLengthBytes: await readUnitLength(reader, inside),
  };
}

async function readUnitLength(reader: ByteReader, entry: IsoBox): Promise<number> {
  const place = unitCodecs[entry.type];
  if (!place) return 0;
  for await (const box of readBoxes(reader, entry.contentOffset, entry.endOffset)) {
    if (box.type !== place.box) continue;
    const flags = (await readContent(reader, box, place.offset + 1))?.[place.offset];
    return flags === undefined ? 0 : (flags & 3) + 1;
  }
  return 0;
}

/** Returns the first chunk's offset and the first sample's size; undefined if the movie keeps its samples in fragments. */
async function readFirstSample(
  reader: ByteReader,
  boxes: Map<string, IsoBox>,
): Promise<SamplePlace | undefined> {
  const lengthBytes = await readFirstSampleSize(reader, boxes);
  const short = await readContent(reader, boxes.get('mdia/minf/stbl/stco'), 12);
  const long = await readContent(reader, boxes.get('mdia/minf/stbl/co64'), 16);
  if (lengthBytes === undefined) return undefined;
  if (short && short.readUInt32BE(4) > 0) return { offset: short.readUInt32BE(8), lengthBytes };
  if (long && long.readUInt32BE(4) > 0) return { offset: Number(long.readBigUInt64BE(8)), lengthBytes };
  return undefined;
}

async function readFirstSampleSize(
  reader: ByteReader,
  boxes: Map<string, IsoBox>,
): Promise<number | undefined> {
  const sizes = boxes.get('mdia/minf/stbl/stsz');
  const head = await readContent(reader, sizes, 12);
  if (head) {
    if (head.readUInt32BE(8) === 0) return undefined;
    return head.readUInt32BE(4) || (await readContent(reader, sizes, 16))?.readUInt32BE(12);
  }
  const compact = await readContent(reader, boxes.get('mdia/minf/stbl/stz2'), 14);
  if (!compact || compact.readUInt32BE(8) === 0) return undefined;
  const fieldBits = compact.readUInt8(7);
  if (fieldBits === 4) return compact.readUInt8(12) >> 4;
  return fieldBits === 8 ? compact.readUInt8(12) : compact.readUInt16BE(12);
}
