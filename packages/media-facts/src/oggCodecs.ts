/** Recognizes the codecs that Ogg carries by the first packet of their stream. */

import type { PictureSize } from './container.ts';

export type OggCodec = Partial<PictureSize> & {
  readonly kind: 'audio' | 'video';
  /** Prefixes of the further headers. An empty text matches any. */
  readonly headers: readonly string[];
  /** Converts a page's granule position to the time at which the page ends. */
  readonly toSeconds: (granule: number) => number;
};

type OggCodecRow = {
  readonly magic: string;
  readonly bytesMin: number;
  readonly read: (packet: Buffer) => OggCodec | undefined;
};

const opusSampleRate = 48_000; // RFC 7845: granule positions always count at this rate
const headersMax = 64; // Speex and FLAC state their number

const rows: readonly OggCodecRow[] = [
  { magic: '\x01vorbis', bytesMin: 30, read: readVorbis },
  { magic: 'OpusHead', bytesMin: 19, read: readOpus },
  { magic: 'Speex   ', bytesMin: 80, read: readSpeex },
  { magic: '\x7fFLAC', bytesMin: 51, read: readFlac },
  { magic: '\x80theora', bytesMin: 42, read: readTheora },
  { magic: 'OVP80\x01', bytesMin: 26, read: readVp8 },
  { magic: 'BBCD\0', bytesMin: 13, read: () => ({ kind: 'video', headers: [], toSeconds: () => 0 }) }, // Dirac
];

/** The whole first packet of every codec above fits into this. */
export const identificationBytesMax = 80;

/** Returns undefined for streams that are neither picture nor sound (Skeleton, subtitles) and for unknown codecs. */
export function readOggCodec(packet: Buffer): OggCodec | undefined {
  const row = rows.find(({ magic }) => packet.toString('latin1', 0, magic.length) === magic);
  return row && packet.length >= row.bytesMin ? row.read(packet) : undefined;
}

function readVorbis(packet: Buffer): OggCodec | undefined {
  const sampleRate = packet.readUInt32LE(12);
  const isFramed = (packet.readUInt8(29) & 1) === 1;
  if (packet.readUInt32LE(7) !== 0 || packet.readUInt8(11) === 0 || sampleRate === 0 || !isFramed)
    return undefined;
  return { kind: 'audio', headers: ['\x03vorbis', '\x05vorbis'], toSeconds: granule => granule / sampleRate };
}

function readOpus(packet: Buffer): OggCodec | undefined {
  if (packet.readUInt8(8) > 15 || packet.readUInt8(9) === 0) return undefined;
  const skippedSamples = packet.readUInt16LE(10);
  return {
    kind: 'audio',
    headers: ['OpusTags'],
    toSeconds: granule => (granule - skippedSamples) / opusSampleRate,
  };
}

function readSpeex(packet: Buffer): OggCodec | undefined {
  const sampleRate = packet.readUInt32LE(36);
  const extraHeaders = packet.readUInt32LE(68);
  if (sampleRate === 0 || extraHeaders > headersMax) return undefined;
  const headers = Array.from({ length: 1 + extraHeaders }, () => '');
  return { kind: 'audio', headers, toSeconds: granule => granule / sampleRate };
}

function readFlac(packet: Buffer): OggCodec | undefined {
  const headerCount = packet.readUInt16BE(7);
  const sampleRate = packet.readUIntBE(27, 3) >> 4;
  if (packet.toString('latin1', 9, 13) !== 'fLaC' || sampleRate === 0 || headerCount > headersMax)
    return undefined;
  const headers = Array.from({ length: headerCount || 1 }, () => '');
  return { kind: 'audio', headers, toSeconds: granule => granule / sampleRate };
}

function readTheora(packet: Buffer): OggCodec | undefined {
  const width = packet.readUIntBE(14, 3);
  const height = packet.readUIntBE(17, 3);
  const rateNumerator = packet.readUInt32BE(22);
  const rateDenominator = packet.readUInt32BE(26);
  const isVersion3 = packet.readUInt8(7) === 3;
  if (!isVersion3 || width === 0 || height === 0 || rateNumerator === 0 || rateDenominator === 0)
    return undefined;
  // The bits of a granule position above this many count key frames, the lower ones the frames since.
  const frameUnit = 2 ** ((packet.readUInt16BE(40) >> 5) & 31);
  return {
    kind: 'video',
    headers: ['\x81theora', '\x82theora'],
    width,
    height,
    toSeconds: granule =>
      ((Math.floor(granule / frameUnit) + (granule % frameUnit)) * rateDenominator) / rateNumerator,
  };
}

function readVp8(packet: Buffer): OggCodec | undefined {
  const width = packet.readUInt16BE(8);
  const height = packet.readUInt16BE(10);
  const rateNumerator = packet.readUInt32BE(18);
  const rateDenominator = packet.readUInt32BE(22);
  if (width === 0 || height === 0 || rateNumerator === 0 || rateDenominator === 0) return undefined;
  // The upper half of a granule position counts shown frames.
  const toSeconds = (granule: number) => (Math.floor(granule / 2 ** 32) * rateDenominator) / rateNumerator;
  return { kind: 'video', headers: [], width, height, toSeconds };
}
