/** Keeps the beginning of a response, in whole characters. */

const bytesMax = 1024; // CONTRACT.md, 10: the first KiB

export function keepBeginning(text: string): string {
  // A stream's decoder leaves out the character that the cut has parted. PostgreSQL takes no NUL.
  const bytes = Buffer.from(text.replaceAll('\0', '')).subarray(0, bytesMax);
  return new TextDecoder().decode(bytes, { stream: true });
}
