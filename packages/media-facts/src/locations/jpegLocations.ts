/** Finds locations in JPEG: EXIF and XMP in the segments before the first scan. */
import { blankExif } from './exifLocations.ts';
import type { BytePatch, PieceReader } from './patches.ts';
import { blankXmp } from './xmpLocations.ts';

const applicationSegment = 0xe1;
const startOfScan = 0xda;
const exifName = 'Exif\0\0';
const xmpName = 'http://ns.adobe.com/x'; // begins both packets and their extensions

export async function findJpegLocations(reader: PieceReader): Promise<BytePatch[]> {
  const patches: BytePatch[] = [];
  let offset = 2;
  for (;;) {
    const head = await reader.read(offset, 4);
    if (head.length < 4 || head[0] !== 0xff) return patches;
    const marker = head[1];
    if (marker === startOfScan) return patches;
    if (marker === 0xff) {
      offset += 1; // any number of these may precede a marker
      continue;
    }
    const lengthBytes = head.readUInt16BE(2);
    if (marker === applicationSegment) {
      const patch = blankSegment(await reader.read(offset + 4, lengthBytes - 2));
      if (patch !== null) patches.push({ offset: offset + 4 + patch.offset, bytes: patch.bytes });
    }
    offset += 2 + Math.max(2, lengthBytes);
  }
}

function blankSegment(segment: Buffer): BytePatch | null {
  if (segment.toString('latin1', 0, exifName.length) === exifName) {
    const bytes = blankExif(segment.subarray(exifName.length));
    return bytes && { offset: exifName.length, bytes };
  }
  if (!segment.toString('latin1', 0, xmpName.length).startsWith(xmpName)) return null;
  const bytes = blankXmp(segment);
  return bytes && { offset: 0, bytes };
}
