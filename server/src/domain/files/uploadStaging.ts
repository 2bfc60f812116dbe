/** The first step of every upload: bytes are counted, hashed and laid on local disk in one pass. */
import { createHash } from 'node:crypto';
import { limits, ServiceError } from '../../vocabulary.ts';
import type { StagedFile, Staging, StagingFile } from '../ports/blobs.ts';

/**
 * Takes the bytes until they end or exceed `bytesMax` (`file_too_large`, at the first byte too many). When it rejects,
 * nothing is left; when it resolves, the caller disposes of the result.
 */
export async function stageUpload(
  deps: { staging: Staging },
  chunks: AsyncIterable<Uint8Array>,
  { bytesMax }: { bytesMax: number },
): Promise<StagedFile> {
  const file = deps.staging.create();
  try {
    return await writeAll(file, chunks, bytesMax);
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
}

async function writeAll(
  file: StagingFile,
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<StagedFile> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let writing: Promise<void> | undefined;
  for await (const chunk of chunks) {
    sizeBytes += chunk.length;
    if (sizeBytes > bytesMax) throw fileTooLargeError(bytesMax);
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
    if (file.appendBytes <= limits.stagingAppendBytesMin) await writing;
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

export function fileTooLargeError(bytesMax: number): ServiceError {
  const size = bytesMax % 1024 ** 2 === 0 ? `${bytesMax / 1024 ** 2} MiB` : `${bytesMax} bytes`;
  return new ServiceError('file_too_large', `Send a file of at most ${size}.`);
}
