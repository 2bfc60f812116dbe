/** Reads EBML, the element tree that Matroska and WebM use. */

import type { ByteReader } from './byteReader.ts';

export type EbmlElement = {
  readonly id: number;
  readonly contentOffset: number;
  /** Infinity if the writer didn't know the size. */
  readonly endOffset: number;
};

const elementsMax = 4096; // per parent; ten minutes of clusters are a few hundred
const numberBytesMax = 8;

/** Reads a number whose length is the count of leading zero bits in its first byte. All value bits set means unknown (Infinity). */
export function readVariableNumber(
  bytes: Buffer,
  offset: number,
): { value: number; lengthBytes: number } | undefined {
  const first = bytes[offset];
  if (first === undefined || first === 0) return undefined;
  const lengthBytes = Math.clz32(first) - 23;
  if (offset + lengthBytes > bytes.length) return undefined;
  const mask = 2 ** (8 - lengthBytes) - 1;
  let value = first & mask;
  let isAllOnes = value === mask;
  for (const byte of bytes.subarray(offset + 1, offset + lengthBytes)) {
    value = value * 256 + byte;
    isAllOnes &&= byte === 0xff;
  }
  return { value: isAllOnes ? Infinity : value, lengthBytes };
}

export async function readElement(reader: ByteReader, offset: number): Promise<EbmlElement | undefined> {
  const head = await reader.readBytesUpTo(offset, 4 + numberBytesMax);
  const idBytes = Math.clz32(head[0] ?? 0) - 23;
  if (idBytes > 4 || idBytes >= head.length) return undefined;
  const size = readVariableNumber(head, idBytes);
  if (!size) return undefined;
  const contentOffset = offset + idBytes + size.lengthBytes;
  return {
    id: head.readUIntBE(0, idBytes),
    contentOffset,
    endOffset: contentOffset + size.value,
  };
}

/** Yields the elements of a parent in order. An element of unknown size is the last. */
export async function* readElements(
  reader: ByteReader,
  startOffset: number,
  parentEndOffset: number,
): AsyncGenerator<EbmlElement> {
  let offset = startOffset;
  for (let count = 0; count < elementsMax && offset < parentEndOffset; count += 1) {
    const element = await readElement(reader, offset);
    if (!element) return;
    // Only a parent of known size can contradict its child.
    if (element.endOffset !== Infinity && element.endOffset > parentEndOffset) return;
    yield element;
    offset = element.endOffset;
  }
}

export async function readUnsigned(reader: ByteReader, element: EbmlElement): Promise<number | undefined> {
  const lengthBytes = element.endOffset - element.contentOffset;
  if (lengthBytes > numberBytesMax) return undefined;
  const bytes = await reader.readBytes(element.contentOffset, lengthBytes);
  return bytes?.reduce((value, byte) => value * 256 + byte, 0);
}

export async function readFloat(reader: ByteReader, element: EbmlElement): Promise<number | undefined> {
  const lengthBytes = element.endOffset - element.contentOffset;
  if (lengthBytes === 0) return 0;
  if (lengthBytes !== 4 && lengthBytes !== 8) return undefined;
  const bytes = await reader.readBytes(element.contentOffset, lengthBytes);
  return lengthBytes === 4 ? bytes?.readFloatBE(0) : bytes?.readDoubleBE(0);
}

/** Reads text up to its first NUL or the end of the element. */
export async function readText(reader: ByteReader, element: EbmlElement): Promise<string | undefined> {
  const lengthBytes = element.endOffset - element.contentOffset;
  if (lengthBytes > 64) return undefined;
  const bytes = await reader.readBytes(element.contentOffset, lengthBytes);
  return bytes?.toString('latin1').split('\0', 1)[0];
}
