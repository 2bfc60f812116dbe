/** Bytes that come in are counted, hashed and written into a staging file in one pass. */
import { createHash } from 'node:crypto';
import type { StagedFile, StagingFile, StagingLimit } from './blobStore.ts';

export const stagingAppendBytesMin = 64 * 1024; // what one read from a socket brings

/** When it rejects, nothing is left of the file. */
export async function stageChunks(
  file: StagingFile,
  chunks: AsyncIterable<Uint8Array>,
  limit: StagingLimit,
): Promise<StagedFile> {
  try {
    return await writeAll(file, chunks, limit);
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
}

async function writeAll(
  file: StagingFile,
  chunks: AsyncIterable<Uint8Array>,
  { bytesMax, refuse }: StagingLimit,
): Promise<StagedFile> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let writing: Promise<void> | undefined;
  for await (const chunk of chunks) {
    sizeBytes += chunk.length;
    if (sizeBytes > bytesMax) throw refuse();
    hash.update(chunk);
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes < file.appendBytes) continue;
    // One write is under way while the bytes for the next one arrive.
    await writing;
    writing = file.append(waiting);
    writing.catch(() => {}); // the next `await` of it throws
    waiting = [];
    waitingBytes = 0;
    // While many uploads are under way another one writes, and holding more bytes would gain nothing.
    if (file.appendBytes <= stagingAppendBytesMin) await writing;
  }
  await writing;
  await file.append(waiting);
  const inMemory = writing === undefined ? waiting : [];
  return stagedFile(file, inMemory, { sizeBytes, sha256: hash.digest('hex') });
}

/** A file that was written in one piece is read from the memory it still has. */
function stagedFile(
  file: StagingFile,
  inMemory: readonly Uint8Array[],
  facts: { sizeBytes: number; sha256: string },
): StagedFile {
  const [first = Buffer.alloc(0)] = inMemory;
  let joined: Buffer | undefined;
  return {
    file,
    ...facts,
    read: async (position, lengthBytes) => {
      const end = Math.max(position, Math.min(position + lengthBytes, facts.sizeBytes));
      if (inMemory.length === 0) return file.read(position, end - position);
      if (end <= first.length) return Buffer.from(first.buffer, first.byteOffset + position, end - position);
      joined ??= Buffer.concat(inMemory);
      return joined.subarray(position, end);
    },
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}
