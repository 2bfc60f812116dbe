/** Describes a refused file, as far as its first bytes tell. Decides nothing. */
import type { MediaType } from './mediaFormats.ts';

type Beginning = readonly [offset: number, letters: string, title: string];

/** Common formats that aren't accepted, one byte per letter. */
const beginnings: readonly Beginning[] = [
  [0, '%PDF', 'a PDF'],
  [0, 'PK\x03\x04', 'a ZIP archive or an Office document'],
  [0, '\x1f\x8b', 'compressed with gzip'],
  [0, 'fLaC', 'a FLAC file'],
  [0, 'BM', 'a BMP picture'],
  [0, 'II*\0', 'a TIFF picture'],
  [0, 'MM\0*', 'a TIFF picture'],
  [8, 'AVI ', 'an AVI video'],
  [0, 'FLV', 'a Flash video'],
  [0, '\x30\x26\xb2\x75', 'a Windows Media file'],
  [0, '\x7fELF', 'a program'],
  [0, 'MZ', 'a program'],
  [4, 'ftypM4A', 'an M4A sound'],
  [4, 'ftypM4B', 'an M4B audio book'],
  [4, 'ftyp3g', 'a 3GP video'],
  [4, 'ftyphei', 'an HEIC picture'],
  [4, 'ftypmif1', 'an HEIC picture'],
  [4, 'ftypavif', 'an AVIF picture'],
];

const contentNames: Readonly<Record<MediaType, string>> = {
  image: 'picture',
  audio: 'sound',
  video: 'video',
};

/** Describes a file that doesn't begin like any accepted format. */
export function describeBeginning(head: Uint8Array): string {
  if (head.byteLength === 0) return 'The file is empty.';
  const letters = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1');
  const isText = /^[\t\r\n\x20-\x7e]+$/.test(letters.slice(0, 16));
  // A text can begin with two letters of a binary format.
  const known = beginnings.find(
    ([offset, start]) => letters.startsWith(start, offset) && (start.length > 2 || !isText),
  );
  if (known !== undefined) return `This file is ${known[2]}, which is not accepted.`;
  if (isText) return 'This file begins with text.';
  return 'This file does not begin like any accepted format.';
}

/** Describes a file that begins like these formats but has another structure. */
export function describeMisfit(formats: readonly { title: string; type: MediaType }[]): string {
  const titles = new Set(formats.map(({ title }) => title));
  const contents = new Set(formats.map(({ type }) => contentNames[type]));
  return (
    `This file begins like ${[...titles].join(' or ')}, but no ${[...contents].join(' or ')} ` +
    'of an accepted kind was found in it; it may be cut off or damaged.'
  );
}
