/** Decodes texts from bytes. Reuses repeated short texts, which also speeds up map lookups. */

const shortBytesMax = 24; // longer texts rarely repeat
const slots = 1024; // a power of two
const known: string[] = Array.from({ length: slots }, () => '');

export function readUtf8(bytes: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length === 0) return '';
  if (length > shortBytesMax) return bytes.toString('utf8', start, end);
  let hash = length;
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
  const slot = (hash ^ (hash >>> 15)) & (slots - 1);
  const text = known[slot]!;
  if (text.length === length && spells(bytes, start, text)) return text;
  const made = bytes.toString('utf8', start, end);
  known[slot] = made;
  return made;
}

/** Reuses only ASCII texts. */
function spells(bytes: Buffer, start: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const byte = bytes[start + index]!;
    if (byte !== text.charCodeAt(index) || byte > 0x7f) return false;
  }
  return true;
}
