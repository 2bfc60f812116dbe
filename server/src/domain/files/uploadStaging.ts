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
  let head: Buffer | undefined;
  let sizeBytes = 0;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const flush = async () => {
    head ??= Buffer.concat(waiting);
    await file.append(waiting);
    waiting = [];
    waitingBytes = 0;
  };
  for await (const chunk of chunks) {
    sizeBytes += chunk.length;
    if (sizeBytes > bytesMax) throw fileTooLarge(bytesMax);
    hash.update(chunk);
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes >= limits.fileHeadBytes) await flush();
  }
  if (waitingBytes > 0) await flush();
  return stagedFile(file, head ?? Buffer.alloc(0), { sizeBytes, sha256: hash.digest('hex') });
}

function stagedFile(
  file: StagingFile,
  head: Buffer,
  facts: { sizeBytes: number; sha256: string },
): StagedFile {
  return {
    file,
    ...facts,
    read: async (position, lengthBytes) => {
      const end = Math.min(position + lengthBytes, facts.sizeBytes);
      return end <= head.length ? head.subarray(position, end) : file.read(position, end - position);
    },
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}

export function fileTooLarge(bytesMax: number): ServiceError {
  const size = bytesMax % 1024 ** 2 === 0 ? `${bytesMax / 1024 ** 2} MiB` : `${bytesMax} bytes`;
  return new ServiceError('file_too_large', `Send a file of at most ${size}.`);
}
