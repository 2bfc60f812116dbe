/** Builds media containers by hand, for files that no encoder makes: rare layouts and false sizes. */

import { crc32, deflateSync } from 'node:zlib';

type Part = Buffer | string | readonly number[];

/** Joins the parts. Writes texts one byte per character. */
export function joinBytes(...parts: readonly Part[]): Buffer {
  return Buffer.concat(
    parts.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );
}

/** Writes an unsigned number, most significant byte first. */
export function bigEndian(value: number | bigint, bytes: number): Buffer {
  return Buffer.from(
    BigInt(value)
      .toString(16)
      .padStart(bytes * 2, '0')
      .slice(-bytes * 2),
    'hex',
  );
}

export function littleEndian(value: number | bigint, bytes: number): Buffer {
  return bigEndian(value, bytes).reverse();
}

/** Builds an ISO base media box. `declaredBytes` can claim a false size. */
export function isoBox(type: string, content: Buffer, declaredBytes = content.length + 8): Buffer {
  return joinBytes(bigEndian(declaredBytes, 4), type, content);
}

/** Builds the same box with a 64-bit size. */
export function longIsoBox(
  type: string,
  content: Buffer,
  declaredBytes: number | bigint = content.length + 16,
): Buffer {
  return joinBytes(bigEndian(1, 4), type, bigEndian(declaredBytes, 8), content);
}

export const ebmlIds = {
  head: 0x1a45dfa3,
  documentType: 0x4282,
  segment: 0x18538067,
  info: 0x1549a966,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codec: 0x86,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  projection: 0x7670,
  roll: 0x7675,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
  void: 0xec,
} as const;

/** Builds a Matroska element. `unknown` writes the size that streams use; a number claims a false size. */
export function ebml(
  name: keyof typeof ebmlIds,
  content: Part,
  declared: number | 'unknown' | undefined = undefined,
): Buffer {
  const id = ebmlIds[name].toString(16);
  const bytes = joinBytes(content);
  const size =
    declared === 'unknown'
      ? [0x01, 255, 255, 255, 255, 255, 255, 255]
      : bigEndian(declared ?? bytes.length, 8);
  const sizeBytes = Buffer.from(size);
  sizeBytes[0] = 0x01;
  return joinBytes(Buffer.from(id, 'hex'), sizeBytes, bytes);
}

export function ebmlHead(documentType: string): Buffer {
  return ebml('head', ebml('documentType', documentType));
}

/** Builds a track of a type: 1 video, 2 audio, 17 subtitles. */
export function ebmlTrack(number: number, type: number, video: Buffer = Buffer.alloc(0)): Buffer {
  const parts = [ebml('trackNumber', [number]), ebml('trackType', [type]), ebml('codec', 'V_VP8')];
  return ebml('trackEntry', joinBytes(...parts, video.length > 0 ? ebml('video', video) : []));
}

export function riffChunk(id: string, content: Part, declaredBytes?: number): Buffer {
  const bytes = joinBytes(content);
  return joinBytes(id, littleEndian(declaredBytes ?? bytes.length, 4), bytes, bytes.length % 2 ? [0] : []);
}

export function riffFile(form: string, ...chunks: readonly Buffer[]): Buffer {
  return riffChunk('RIFF', joinBytes(form, ...chunks));
}

/** Builds a WAV format chunk: mono, 8000 samples a second, 16 bits. */
export function wavFormat(codec = 1, blockBytes = 2): Buffer {
  const fields = [littleEndian(codec, 2), littleEndian(1, 2), littleEndian(8000, 4), littleEndian(16_000, 4)];
  return riffChunk('fmt ', joinBytes(...fields, littleEndian(blockBytes, 2), littleEndian(16, 2)));
}

export const pngSignature = joinBytes('\x89PNG\r\n\x1a\n');

export function pngChunk(type: string, content: Part, declaredBytes?: number): Buffer {
  const body = joinBytes(type, content);
  return joinBytes(bigEndian(declaredBytes ?? body.length - 4, 4), body, bigEndian(crc32(body), 4));
}

export function pngHeader(width: number, height: number, colourType = 2): Buffer {
  return pngChunk('IHDR', joinBytes(bigEndian(width, 4), bigEndian(height, 4), [8, colourType, 0, 0, 0]));
}

/** Builds a whole black picture of this size, with other chunks before its rows. */
export function pngFile(width: number, height: number, ...before: readonly Buffer[]): Buffer {
  const rows = deflateSync(Buffer.alloc(height * (1 + width * 3)));
  return joinBytes(
    pngSignature,
    pngHeader(width, height),
    ...before,
    pngChunk('IDAT', rows),
    pngChunk('IEND', ''),
  );
}

/** Builds an Ogg page with one packet of less than 64 KiB and a correct checksum. Flags: 2 opens a stream, 4 closes it. */
export function oggPage(
  serial: number,
  packet: Part,
  options: { flags?: number; granule?: number } = {},
): Buffer {
  const body = joinBytes(packet);
  const lacing = [...Array<number>(Math.floor(body.length / 255)).fill(255), body.length % 255];
  const head = joinBytes(
    'OggS',
    [0, options.flags ?? 0],
    littleEndian(options.granule ?? 0, 8),
    littleEndian(serial, 4),
  );
  const page = joinBytes(head, littleEndian(0, 4), [0, 0, 0, 0], [lacing.length], lacing, body);
  page.writeUInt32LE(sumPage(page), 22);
  return page;
}

function sumPage(page: Buffer): number {
  let sum = 0n;
  for (const byte of page) {
    sum ^= BigInt(byte) << 24n;
    for (let bit = 0; bit < 8; bit += 1)
      sum = ((sum << 1n) ^ (sum & 0x80000000n ? 0x04c11db7n : 0n)) & 0xffffffffn;
  }
  return Number(sum);
}

/** Builds MPEG audio frames that all have this header and length. */
export function audioFrames(header: string, frameBytes: number, count: number): Buffer {
  const frame = Buffer.alloc(frameBytes);
  frame.write(header, 'hex');
  return Buffer.concat(Array<Buffer>(count).fill(frame));
}

/** Builds an ID3v2 tag that declares this many bytes. */
export function id3Tag(content: Buffer, declaredBytes = content.length): Buffer {
  const size = [21, 14, 7, 0].map(bits => Math.floor(declaredBytes / 2 ** bits) & 0x7f);
  return joinBytes('ID3', [3, 0, 0], size, content);
}

/** Builds a TIFF header with an orientation entry, as in EXIF. */
export function exifOrientation(value: number, order: 'II' | 'MM'): Buffer {
  const write = order === 'II' ? littleEndian : bigEndian;
  const entry = joinBytes(write(0x0112, 2), write(3, 2), write(1, 4), write(value, 2), [0, 0]);
  return joinBytes(order, write(42, 2), write(8, 4), write(1, 2), entry, write(0, 4));
}

/** Copies an MP4 and rotates the matrix of every track header by 90 degrees. */
export function rotateTracks(movie: Buffer): Buffer {
  const turned = Buffer.from(movie);
  for (let at = turned.indexOf('tkhd'); at !== -1; at = turned.indexOf('tkhd', at + 4)) {
    const matrix = at + 4 + 40;
    [0, 0x10000, 0, -0x10000, 0].forEach((value, index) => {
      turned.writeInt32BE(value, matrix + index * 4);
    });
  }
  return turned;
}
