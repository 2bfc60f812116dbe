/** Checks WAV: RIFF and its 64-bit variants RF64 and BW64, with any codec that a format chunk can name. */

import { type ByteReader, readFourLetters } from './byteReader.ts';
import { type MediaContainer, type MediaFacts, roundDuration } from './container.ts';
import { type RiffChunk, readRiffChunks } from './riff.ts';
import { refuseMedia } from './unsupportedMedia.ts';

type WavFormat = {
  readonly codec: number;
  readonly sampleRate: number;
  readonly bytesPerSecond: number;
  readonly blockBytes: number;
};
type WavHeader = {
  format: WavFormat | undefined;
  samples: number | undefined;
  longDataBytes: number | undefined;
};

/** Codecs with one sample per channel in each block: PCM, floating point, A-law, µ-law. */
const plainCodecs = [0x0001, 0x0003, 0x0006, 0x0007];
const extensibleCodec = 0xfffe;
/** Streams write this if the length isn't known yet, and RF64 if it doesn't fit. */
const lengthUnknown = 0xffffffff;

export const wavContainer: MediaContainer = {
  signature: {
    offset: 8,
    letters: ['WAVE'],
    matches: head => ['RIFF', 'RF64', 'BW64'].includes(readFourLetters(head, 0)),
  },
  checkStructure: checkWav,
};

/** Says what is wrong with a WAV, because recorders that stop early leave headers without sound. */
async function checkWav(reader: ByteReader): Promise<MediaFacts> {
  const header: WavHeader = { format: undefined, samples: undefined, longDataBytes: undefined };
  for await (const chunk of readRiffChunks(reader, 12, reader.sizeBytes)) {
    if (chunk.id === 'data') {
      if (!header.format) throw refuseMedia('This WAV has no format chunk before its sound.');
      return describeWav(reader, chunk, { ...header, format: header.format });
    }
    if (chunk.id === 'fmt ') {
      const bytes = await reader.readBytes(chunk.dataOffset, Math.min(chunk.lengthBytes, 40));
      header.format = bytes && readFormat(bytes);
      if (!header.format) throw refuseMedia('The format chunk of this WAV is broken.');
    } else if (chunk.id === 'fact' && chunk.lengthBytes >= 4) {
      header.samples = (await reader.readBytes(chunk.dataOffset, 4))?.readUInt32LE();
    } else if (chunk.id === 'ds64' && chunk.lengthBytes >= 24) {
      const bytes = await reader.readBytes(chunk.dataOffset, 24);
      header.longDataBytes = bytes && Number(bytes.readBigUInt64LE(8));
    }
  }
  throw refuseMedia('This WAV has no data chunk, so it holds no sound.');
}

function readFormat(bytes: Buffer): WavFormat | undefined {
  if (bytes.length < 16) return undefined;
  const tag = bytes.readUInt16LE(0);
  const codec = tag === extensibleCodec && bytes.length >= 26 ? bytes.readUInt16LE(24) : tag;
  const channels = bytes.readUInt16LE(2);
  const sampleRate = bytes.readUInt32LE(4);
  const blockBytes = bytes.readUInt16LE(12);
  if (tag === 0 || channels === 0 || sampleRate === 0 || blockBytes === 0) return undefined;
  if (plainCodecs.includes(codec) && blockBytes % channels !== 0) return undefined;
  return { codec, sampleRate, bytesPerSecond: bytes.readUInt32LE(8), blockBytes };
}

function describeWav(
  reader: ByteReader,
  data: RiffChunk,
  header: WavHeader & { format: WavFormat },
): MediaFacts {
  const { format, samples, longDataBytes } = header;
  const there = reader.sizeBytes - data.dataOffset;
  const isOpenEnded = data.lengthBytes === 0 || data.lengthBytes === lengthUnknown;
  const declared = isOpenEnded ? longDataBytes || there : data.lengthBytes;
  const dataBytes = Math.min(declared, there);
  const isPlain = plainCodecs.includes(format.codec);
  if (dataBytes < (isPlain ? format.blockBytes : 1)) throw refuseSilence(declared, dataBytes);
  // A cut file lasts as long as the samples it holds, not as its header promised.
  const wholeSeconds = samples && samples !== lengthUnknown ? samples / format.sampleRate : undefined;
  const packedSeconds = wholeSeconds
    ? (wholeSeconds * dataBytes) / declared
    : dataBytes / format.bytesPerSecond;
  const seconds = isPlain ? dataBytes / format.blockBytes / format.sampleRate : packedSeconds;
  return { format: 'wav', durationSeconds: roundDuration(seconds) };
}

function refuseSilence(declaredBytes: number, dataBytes: number): Error {
  if (declaredBytes === 0) return refuseMedia('This WAV holds no sound: its data chunk is empty.');
  return refuseMedia(
    dataBytes < declaredBytes
      ? `This WAV is cut off: its header promises ${declaredBytes} bytes of sound, and ${dataBytes} follow.`
      : `This WAV holds no whole sample: its sound has ${dataBytes} bytes.`,
  );
}
