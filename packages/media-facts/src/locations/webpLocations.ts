/** Finds locations in the EXIF and XMP chunks of WebP. */
import { blankExif } from './exifLocations.ts';
import type { BytePatch, PieceReader } from './patches.ts';
import { blankXmp } from './xmpLocations.ts';

const headerBytes = 12;
const exifName = 'Exif\0\0'; // some programs write this before the structure

export async function findWebpLocations(reader: PieceReader): Promise<BytePatch[]> {
  const patches: BytePatch[] = [];
  let offset = headerBytes;
  for (;;) {
    const head = await reader.read(offset, 8);
    if (head.length < 8) return patches;
    const type = head.toString('latin1', 0, 4);
    const lengthBytes = head.readUInt32LE(4);
    const start = offset + 8;
    if (type === 'EXIF') {
      const data = await reader.read(start, lengthBytes);
      const skipped = data.toString('latin1', 0, exifName.length) === exifName ? exifName.length : 0;
      const bytes = blankExif(data.subarray(skipped));
      if (bytes !== null) patches.push({ offset: start + skipped, bytes });
    } else if (type === 'XMP ') {
      const bytes = blankXmp(await reader.read(start, lengthBytes));
      if (bytes !== null) patches.push({ offset: start, bytes });
    }
    offset = start + lengthBytes + (lengthBytes % 2);
  }
}
