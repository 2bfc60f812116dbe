/** Reads RIFF, the chain of chunks that WAV and WebP share. */

import { type ByteReader, readFourLetters } from './byteReader.ts';

export type RiffChunk = { readonly id: string; readonly dataOffset: number; readonly lengthBytes: number };

const chunksMax = 4096; // real files have about ten; animations one per frame

/** Yields the chunks from an offset to the end of their parent or of the file. */
export async function* readRiffChunks(
  reader: ByteReader,
  startOffset: number,
  endOffset: number,
): AsyncGenerator<RiffChunk> {
  let offset = startOffset;
  for (let count = 0; count < chunksMax && offset + 8 <= endOffset; count += 1) {
    const head = await reader.readBytes(offset, 8);
    if (!head) return;
    const id = readFourLetters(head, 0);
    if (!/^[\x20-\x7e]{4}$/.test(id)) return;
    const lengthBytes = head.readUInt32LE(4);
    yield { id, dataOffset: offset + 8, lengthBytes };
    offset += 8 + lengthBytes + (lengthBytes % 2);
  }
}
