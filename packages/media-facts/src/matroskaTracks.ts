/** Reads the tracks of a Matroska or WebM file: their numbers, kinds and picture sizes. */

import type { ByteReader } from './byteReader.ts';
import type { PictureSize } from './container.ts';
import { type EbmlElement, readElements, readFloat, readUnsigned } from './ebml.ts';

export type MatroskaTrack = {
  readonly number: number;
  readonly kind: 'video' | 'audio' | 'other';
  readonly size: PictureSize | undefined;
};

const tracksMax = 128; // block headers of real files store track numbers in one byte
const ids = {
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codec: 0x86,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  cropBottom: 0x54aa,
  cropTop: 0x54bb,
  cropLeft: 0x54cc,
  cropRight: 0x54dd,
  projection: 0x7670,
  roll: 0x7675,
} as const;
const videoType = 1;
const audioType = 2;

export async function readTracks(reader: ByteReader, tracks: EbmlElement): Promise<MatroskaTrack[]> {
  const found: MatroskaTrack[] = [];
  for await (const entry of readElements(reader, tracks.contentOffset, tracks.endOffset)) {
    if (entry.id !== ids.trackEntry) continue;
    if (found.length === tracksMax) break;
    const track = await readTrack(reader, entry);
    if (track) found.push(track);
  }
  return found;
}

async function readTrack(reader: ByteReader, entry: EbmlElement): Promise<MatroskaTrack | undefined> {
  let number: number | undefined;
  let type: number | undefined;
  let hasCodec = false;
  let size: PictureSize | undefined;
  for await (const element of readElements(reader, entry.contentOffset, entry.endOffset)) {
    if (element.id === ids.trackNumber) number = await readUnsigned(reader, element);
    else if (element.id === ids.trackType) type = await readUnsigned(reader, element);
    else if (element.id === ids.codec) hasCodec = element.endOffset > element.contentOffset;
    else if (element.id === ids.video) size = await readPictureSize(reader, element);
  }
  if (!number || !type || !hasCodec) return undefined;
  return { number, kind: type === videoType ? 'video' : type === audioType ? 'audio' : 'other', size };
}

/** Returns the visible pixels: cropped, and turned by the projection's roll. */
async function readPictureSize(reader: ByteReader, video: EbmlElement): Promise<PictureSize | undefined> {
  const numbers = new Map<number, number>();
  let isTurned = false;
  for await (const element of readElements(reader, video.contentOffset, video.endOffset)) {
    if (element.id === ids.projection) isTurned = await readTurn(reader, element);
    else numbers.set(element.id, (await readUnsigned(reader, element)) ?? 0);
  }
  const read = (id: number) => numbers.get(id) ?? 0;
  const width = read(ids.pixelWidth) - read(ids.cropLeft) - read(ids.cropRight);
  const height = read(ids.pixelHeight) - read(ids.cropTop) - read(ids.cropBottom);
  if (!(width > 0 && height > 0) || Math.max(width, height) >= 2 ** 31) return undefined;
  return isTurned ? { width: height, height: width } : { width, height };
}

/** True if a roll of 90 or 270 degrees turns the picture on its side. */
async function readTurn(reader: ByteReader, projection: EbmlElement): Promise<boolean> {
  for await (const element of readElements(reader, projection.contentOffset, projection.endOffset)) {
    if (element.id !== ids.roll) continue;
    const degrees = (await readFloat(reader, element)) ?? 0;
    return Math.abs(Math.sin((degrees * Math.PI) / 180)) > Math.SQRT1_2;
  }
  return false;
}
