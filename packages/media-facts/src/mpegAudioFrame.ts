/** Reads the four bytes that open every MPEG audio frame (ISO 11172-3 and 13818-3, and the 2.5 extension). */

export type MpegAudioFrame = {
  readonly version: 1 | 2 | 2.5;
  readonly layer: 1 | 2 | 3;
  /** 0 in the free format, whose frames extend to the next one. */
  readonly bitsPerSecond: number;
  readonly sampleRate: number;
  readonly isMono: boolean;
  readonly paddingBytes: number;
  readonly samples: number;
  /** 0 in the free format. */
  readonly lengthBytes: number;
};

const versions = [2.5, undefined, 2, 1] as const;
const layers = [undefined, 3, 2, 1] as const;
const sampleRates = {
  1: [44_100, 48_000, 32_000],
  2: [22_050, 24_000, 16_000],
  2.5: [11_025, 12_000, 8000],
} as const;
/** Kilobits a second by index, for version 1 and for the two lower versions. */
const bitRates = {
  1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
} as const;
const lowBitRates = {
  1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  3: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;

export const frameHeaderBytes = 4;

export function readFrameHeader(bytes: Buffer, offset: number): MpegAudioFrame | undefined {
  if (offset + frameHeaderBytes > bytes.length) return undefined;
  const header = bytes.readUInt32BE(offset);
  if (header >>> 21 !== 0x7ff) return undefined;
  const version = versions[(header >>> 19) & 3];
  const layer = layers[(header >>> 17) & 3];
  if (version === undefined || layer === undefined) return undefined;
  const sampleRate = sampleRates[version][(header >>> 10) & 3];
  const kilobits = (version === 1 ? bitRates : lowBitRates)[layer][(header >>> 12) & 15];
  const emphasis = header & 3;
  if (sampleRate === undefined || kilobits === undefined || emphasis === 2) return undefined;
  const slotBytes = layer === 1 ? 4 : 1;
  const samples = layer === 1 ? 384 : layer === 3 && version !== 1 ? 576 : 1152;
  const paddingBytes = (header >>> 9) & 1 ? slotBytes : 0;
  const bitsPerSecond = kilobits * 1000;
  const slots = Math.floor((samples * bitsPerSecond) / (8 * slotBytes * sampleRate));
  const lengthBytes = bitsPerSecond === 0 ? 0 : slots * slotBytes + paddingBytes;
  const isMono = ((header >>> 6) & 3) === 3;
  return { version, layer, bitsPerSecond, sampleRate, isMono, paddingBytes, samples, lengthBytes };
}

/** True if two headers can belong to one stream: they agree in everything that a stream can't change. */
export function isSameStream(one: MpegAudioFrame, other: MpegAudioFrame): boolean {
  return (
    one.version === other.version &&
    one.layer === other.layer &&
    one.sampleRate === other.sampleRate &&
    (one.bitsPerSecond === 0) === (other.bitsPerSecond === 0)
  );
}
