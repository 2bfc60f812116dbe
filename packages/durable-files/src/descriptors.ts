/** Reads and writes on plain descriptors, which cost half of what `FileHandle`s do: all of the bytes, or a failure. */
import fs from 'node:fs';

/**
 * Writes everything from the position on, null being behind what was written before. A short write is no failure: the
 * system says why it stopped when the rest is tried.
 */
export async function writeAll(
  descriptor: number,
  chunks: readonly Uint8Array[],
  position: number | null,
): Promise<void> {
  let left = chunks;
  let at = position;
  while (left.length > 0) {
    const bytes = await writeSome(descriptor, left, at);
    left = dropBytes(left, bytes);
    if (at !== null) at += bytes;
  }
}

/** Fills the buffer from the position on; fewer bytes mean the end of the file. */
export async function readAll(descriptor: number, into: Buffer, position: number): Promise<number> {
  let filled = 0;
  while (filled < into.length) {
    const bytes = await readSome(descriptor, into.subarray(filled), position + filled);
    if (bytes === 0) break;
    filled += bytes;
  }
  return filled;
}

function dropBytes(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let left = bytes;
  for (const [index, chunk] of chunks.entries()) {
    if (left < chunk.length) return [chunk.subarray(left), ...chunks.slice(index + 1)];
    left -= chunk.length;
  }
  return [];
}

function writeSome(
  descriptor: number,
  chunks: readonly Uint8Array[],
  position: number | null,
): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.writev(descriptor, chunks, position, (error, bytes) => (error ? reject(error) : resolve(bytes)));
  });
}

function readSome(descriptor: number, into: Buffer, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.read(descriptor, into, 0, into.length, position, (error, bytes) =>
      error ? reject(error) : resolve(bytes),
    );
  });
}
