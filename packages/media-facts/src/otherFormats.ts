/** Names common formats that are not accepted, so that a refusal says what was sent. Nothing else depends on it. */

type OtherFormat = readonly [title: string, offset: number, letters: readonly string[]];

const reservedOfBmp = 6;

/** The first that fits. */
const otherFormats: readonly OtherFormat[] = [
  ['a PDF', 0, ['%PDF-']],
  ['a FLAC sound', 0, ['fLaC']],
  ['an AIFF sound', 8, ['AIFF', 'AIFC']],
  ['a WMA sound or a WMV video', 0, ['\x30\x26\xb2\x75']],
  ['an AVI video', 8, ['AVI ']],
  ['a Flash video', 0, ['FLV\x01']],
  ['an AVIF picture', 4, ['ftypavif', 'ftypavis']],
  ['a HEIC picture', 4, ['ftypheic', 'ftypheix', 'ftyphevc', 'ftypmif1', 'ftypmsf1']],
  ['an M4A sound', 4, ['ftypM4A', 'ftypM4B', 'ftypM4P']],
  ['a 3GP video', 4, ['ftyp3g']],
  ['a TIFF picture', 0, ['II*\0', 'MM\0*']],
  ['an icon', 0, ['\0\0\x01\0']],
  ['a Photoshop document', 0, ['8BPS']],
  ['an SVG picture', 0, ['<svg']],
  ['a ZIP archive, or a document that is one', 0, ['PK\x03\x04']],
  ['a gzip archive', 0, ['\x1f\x8b']],
  ['a RAR archive', 0, ['Rar!']],
  ['a 7-Zip archive', 0, ['7z\xbc\xaf']],
  ['a web page', 0, ['<!DOCTYPE', '<!doctype', '<html']],
  ['XML', 0, ['<?xml']],
];

/** null where none of them begins like this. */
export function nameOtherFormat(head: string): string | null {
  if (head === '') return 'empty';
  if (head.startsWith('BM') && head.startsWith('\0\0\0\0', reservedOfBmp)) return 'a BMP picture';
  const fits = ([, offset, letters]: OtherFormat) => letters.some(each => head.startsWith(each, offset));
  return otherFormats.find(fits)?.[0] ?? null;
}
