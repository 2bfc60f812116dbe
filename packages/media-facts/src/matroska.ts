/** Checks Matroska and WebM: a head that names the document type, tracks, and a first cluster whose first block parses. */

import type { ByteReader } from './byteReader.ts';
import { type MediaContainer, type MediaFacts, roundDuration } from './container.ts';
import { type EbmlElement, readElement, readElements, readFloat, readText, readUnsigned } from './ebml.ts';
import { clusterId, findLastTimestamp, holdsBlock } from './matroskaBlocks.ts';
import { type MatroskaTrack, readTracks } from './matroskaTracks.ts';
import type { MediaFormatName } from './mediaFormats.ts';

type Segment = {
  info: EbmlElement | undefined;
  tracks: EbmlElement | undefined;
  cluster: EbmlElement | undefined;
};
type Kind = MatroskaTrack['kind'];

const ids = {
  head: 0x1a45dfa3,
  readVersion: 0x42f7,
  idBytesMax: 0x42f2,
  sizeBytesMax: 0x42f3,
  documentType: 0x4282,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
} as const;
const headBytesMax = 4096; // forty bytes in every file seen
const timestampScaleDefault = 1_000_000; // nanoseconds per unit
const nanosecondsPerSecond = 1e9;

/** Formats by document type and kinds of tracks. Matroska with only sound (MKA) isn't accepted. */
const formats: Record<string, Partial<Record<Kind, MediaFormatName>>> = {
  webm: { video: 'webmVideo', audio: 'webmAudio' },
  matroska: { video: 'matroska' },
};

export const matroskaContainer: MediaContainer = {
  signature: { offset: 0, letters: ['\x1a\x45\xdf\xa3'], matches: null },
  checkStructure: checkMatroska,
};

async function checkMatroska(reader: ByteReader): Promise<MediaFacts | undefined> {
  const head = await readElement(reader, 0);
  const documentType = head && (await readDocumentType(reader, head));
  const segment = documentType ? await readSegment(reader, head.endOffset) : undefined;
  if (!documentType || !segment?.tracks || !segment.cluster) return undefined;
  const tracks = await readTracks(reader, segment.tracks);
  const main = tracks.find(track => track.kind === 'video') ?? tracks.find(track => track.kind === 'audio');
  const format = main && formats[documentType]?.[main.kind];
  const numbers = tracks.map(track => track.number);
  if (!format || !(await holdsBlock(reader, segment.cluster, numbers))) return undefined;
  return { format, ...main.size, durationSeconds: roundDuration(await findDuration(reader, segment)) };
}

/** Returns the document type if this version of EBML can read the head. */
async function readDocumentType(reader: ByteReader, head: EbmlElement): Promise<string | undefined> {
  if (head.endOffset - head.contentOffset > headBytesMax) return undefined;
  let documentType: string | undefined;
  for await (const element of readElements(reader, head.contentOffset, head.endOffset)) {
    if (element.id === ids.documentType) documentType = await readText(reader, element);
    const most = { [ids.readVersion]: 1, [ids.idBytesMax]: 4, [ids.sizeBytesMax]: 8 }[element.id];
    if (most !== undefined && ((await readUnsigned(reader, element)) ?? Infinity) > most) return undefined;
  }
  return documentType;
}

/** Walks the segment until it finds the tracks and a cluster. Facts about the whole file come before both. */
async function readSegment(reader: ByteReader, offset: number): Promise<Segment | undefined> {
  const element = await readElement(reader, offset);
  if (element?.id !== ids.segment) return undefined;
  const segment: Segment = { info: undefined, tracks: undefined, cluster: undefined };
  for await (const child of readElements(reader, element.contentOffset, element.endOffset)) {
    if (child.id === ids.info) segment.info ??= child;
    else if (child.id === ids.tracks) segment.tracks ??= child;
    else if (child.id === clusterId) segment.cluster ??= child;
    if (segment.tracks && segment.cluster) break;
  }
  return segment;
}

/** Streaming recorders don't go back to write the duration. Then the last block tells it. */
async function findDuration(reader: ByteReader, segment: Segment): Promise<number | undefined> {
  let scale = timestampScaleDefault;
  let units: number | undefined;
  if (segment.info) {
    for await (const element of readElements(reader, segment.info.contentOffset, segment.info.endOffset)) {
      if (element.id === ids.timestampScale)
        scale = (await readUnsigned(reader, element)) || timestampScaleDefault;
      else if (element.id === ids.duration) units = await readFloat(reader, element);
    }
  }
  units = units && units > 0 ? units : await findLastTimestamp(reader);
  return units === undefined ? undefined : (units * scale) / nanosecondsPerSecond;
}
