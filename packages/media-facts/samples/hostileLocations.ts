/** Pictures whose metadata is expensive to search for places. Each is whole: it is answered with its type, unless it has too much metadata. */
import { deflateSync } from 'node:zlib';
import { bigEndian, joinBytes, pngChunk, pngFile } from './containers.ts';
import { type HostileFile, refused } from './hostileFile.ts';

const packetBytes = 1024 * 1024; // the longest packet that is searched
const longBytes = 8 * packetBytes;
const xmpKeyword = 'XML:com.adobe.xmp\0';
const gpsPointer = 0x8825;
const longType = 4;
const byteType = 1;

/** Writes an entry of a TIFF directory. */
const entry = (tag: number, type: number, ...[count, value]: [number, number]) =>
  joinBytes(bigEndian(tag, 2), bigEndian(type, 2), bigEndian(count, 4), bigEndian(value, 4));

/** Builds EXIF whose places all lie at the same, large range of bytes. */
function tangledExif(bytes: number): Buffer {
  const places = 20_000;
  const directoryAt = 26;
  const valueAt = directoryAt + 2 + 12 * places;
  const head = joinBytes(
    'MM\0*',
    bigEndian(8, 4),
    bigEndian(1, 2),
    entry(gpsPointer, longType, 1, directoryAt),
  );
  const place = entry(1, byteType, bytes - valueAt, valueAt);
  const directory = Buffer.alloc(12 * places, place);
  return joinBytes(head, bigEndian(0, 4), bigEndian(places, 2), directory, Buffer.alloc(bytes - valueAt));
}

const repeat = (text: string, bytes: number) => Buffer.alloc(bytes, text, 'latin1');
const packet = (text: string, bytes = packetBytes - 100) =>
  pngChunk('iTXt', joinBytes(xmpKeyword, [0, 0, 0, 0], repeat(text, bytes)));
const packed = pngChunk(
  'zTXt',
  joinBytes(xmpKeyword, [0], deflateSync(repeat('x', packetBytes), { level: 9 })),
);

const image = 'image/png';
const png = (...chunks: readonly Buffer[]) => pngFile(1, 1, ...chunks);
export const hostileLocations: readonly HostileFile[] = [
  {
    name: 'EXIF of places that overlap',
    answer: image,
    head: png(pngChunk('eXIf', tangledExif(packetBytes))),
  },
  { name: 'EXIF of 8 MiB', answer: image, head: png(pngChunk('eXIf', tangledExif(longBytes))) },
  { name: 'XMP of 8 MiB', answer: image, head: png(packet(':GPS ', longBytes)) },
  { name: 'XMP of unfinished elements', answer: image, head: png(packet(':GPS ')) },
  { name: 'XMP of unfinished attributes', answer: image, head: png(packet(':GPS="')) },
  { name: 'XMP of mixed quotes', answer: image, head: png(packet(':GPS="\':GPS=\'"')) },
  { name: 'XMP of empty elements', answer: image, head: png(packet(':GPS>')) },
  { name: 'XMP of long names', answer: image, head: png(packet(`:GPS${'a'.repeat(60)}`)) },
  { name: 'XMP of colons', answer: image, head: png(packet(':')) },
  {
    name: 'packets that inflate a thousandfold',
    answer: refused,
    head: png(Buffer.concat(Array.from({ length: 2_000 }, () => packed))),
  },
];
