/** Writes ZIP archives: files with their folders, compressed. Equal files make equal archives. */
import { crc32, deflateRawSync } from 'node:zlib';

const firstDay = 0x21; // 1 January 1980, the earliest date of the format
const localSignature = 0x04034b50;
const centralSignature = 0x02014b50;
const endSignature = 0x06054b50;
const version = 20; // of the format: folders and deflate
const utf8Names = 0x800;
const deflated = 8;

type ZipFile = { name: string; bytes: Buffer };

export function writeZip(files: readonly ZipFile[]): Buffer {
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const packed = deflateRawSync(bytes);
    const nameBytes = Buffer.from(name);
    const facts = writeFacts(bytes, { packed, nameBytes });
    const local = Buffer.concat([writeInts([4, localSignature]), facts, nameBytes, packed]);
    const place = writeInts([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]); // comment, disk, attributes
    central.push(Buffer.concat([writeInts([4, centralSignature], [2, version]), facts, place, nameBytes]));
    parts.push(local);
    offset += local.length;
  }
  const size = central.reduce((sum, each) => sum + each.length, 0);
  const count = files.length;
  const end = writeInts(
    [4, endSignature],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, size],
    [4, offset],
    [2, 0],
  );
  return Buffer.concat([...parts, ...central, end]);
}

/** What both headers of a file say. */
function writeFacts(bytes: Buffer, { packed, nameBytes }: { packed: Buffer; nameBytes: Buffer }): Buffer {
  return writeInts(
    ...([
      [2, version],
      [2, utf8Names],
      [2, deflated],
      [2, 0],
      [2, firstDay],
    ] as const),
    ...([
      [4, crc32(bytes)],
      [4, packed.length],
      [4, bytes.length],
      [2, nameBytes.length],
      [2, 0],
    ] as const),
  );
}

function writeInts(...values: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer {
  return Buffer.concat(
    values.map(([bytes, value]) => {
      const buffer = Buffer.alloc(bytes);
      buffer.writeUIntLE(value, 0, bytes);
      return buffer;
    }),
  );
}
