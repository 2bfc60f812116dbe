/** Reads the bytes of an upload from a file, a Blob, memory, base64 or a stream. */
import { TapedeckError } from '../../errors.ts';

/** A path, a `file:` URL, a Blob or File, bytes, a web or Node.js stream, an async iterable, or base64. */
export type UploadSource =
  | string
  | URL
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | { base64: string };

type Bytes = Uint8Array<ArrayBuffer>;

export interface Content {
  /** '' if unnamed. */
  filename: string;
  /** null if unknown until the end. */
  sizeBytes: number | null;
  /**
   * Returns up to `lengthBytes` bytes from `start`; fewer only if `isEnd`. Streams are read once, so `start` must lie in the chunk read last, or
   * right after it.
   */
  read(start: number, lengthBytes: number): Promise<{ bytes: Bytes; isEnd: boolean }>;
  close(): Promise<void>;
}

/** Opens a file by path or `file:` URL. */
type FileOpener = { openPath(path: string | URL): Promise<Content> };

export async function openContent(source: UploadSource, platform: FileOpener): Promise<Content> {
  if (typeof source === 'string' || source instanceof URL) return await platform.openPath(source);
  if (source instanceof Blob) return readBlob(source);
  if (source instanceof ArrayBuffer) return readBlob(new Blob([source]));
  if (ArrayBuffer.isView(source)) {
    // A Blob cannot hold a view of shared memory. Copying costs no more than sending.
    return readBlob(new Blob([new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice()]));
  }
  if (typeof source === 'object' && source !== null) {
    if ('base64' in source) return readBlob(decodeBase64(source.base64));
    if (source instanceof ReadableStream) return readStream(iterate(source));
    if (Symbol.asyncIterator in source) return readStream(source[Symbol.asyncIterator]());
  }
  throw unreadableError('Upload a path, a file: URL, a Blob, bytes, a stream or {base64}.');
}

export function unreadableError(sentence: string, cause?: unknown): TapedeckError {
  return new TapedeckError({ status: 0, code: 'source_unreadable' }, sentence, { cause });
}

function readBlob(blob: Blob): Content {
  return {
    filename: blob instanceof File ? blob.name : '',
    sizeBytes: blob.size,
    async read(start, lengthBytes) {
      const end = Math.min(start + lengthBytes, blob.size);
      return { bytes: new Uint8Array(await blob.slice(start, end).arrayBuffer()), isEnd: end === blob.size };
    },
    close: async () => {},
  };
}

/** Accepts base64, base64url and data URLs, with whitespace. */
function decodeBase64(text: string): Blob {
  const plain = text
    .replace(/^data:[^,]*,/, '')
    .replaceAll(/\s/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  try {
    return new Blob([Uint8Array.from(atob(plain), character => character.charCodeAt(0))]);
  } catch (cause) {
    throw unreadableError('base64 contains invalid characters.', cause);
  }
}

function readStream(chunks: AsyncIterator<Uint8Array | string>): Content {
  let kept: Bytes = new Uint8Array(); // the chunk read last, in case of a retry
  let keptStart = 0;
  let ahead: Bytes = new Uint8Array(); // read but not yet in a chunk
  let isDone = false;

  async function fill(lengthBytes: number): Promise<void> {
    const parts = [ahead];
    let bytes = ahead.length;
    // Read one byte past the chunk to learn whether it is the last.
    while (!isDone && bytes <= lengthBytes) {
      const next = await chunks.next().catch(cause => {
        throw unreadableError('The stream failed while it was uploaded.', cause);
      });
      isDone = next.done === true;
      if (next.done) break;
      const part = toBytes(next.value);
      parts.push(part);
      bytes += part.length;
    }
    ahead = join(parts, bytes);
  }

  return {
    filename: '',
    sizeBytes: null,
    async read(start, lengthBytes) {
      const again = kept.subarray(start - keptStart);
      if (start < keptStart || start > keptStart + kept.length)
        throw unreadableError(
          'The service lost bytes of a stream, which cannot be read twice; upload it again.',
        );
      if (again.length > 0) return { bytes: again, isEnd: isDone && ahead.length === 0 };
      await fill(lengthBytes);
      kept = ahead.subarray(0, lengthBytes);
      keptStart = start;
      ahead = ahead.slice(lengthBytes);
      return { bytes: kept, isEnd: isDone && ahead.length === 0 };
    },
    async close() {
      await chunks.return?.();
    },
  };
}

function toBytes(part: Uint8Array | string): Bytes {
  return typeof part === 'string' ? new TextEncoder().encode(part) : new Uint8Array(part);
}

function join(parts: readonly Bytes[], bytes: number): Bytes {
  const joined = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Not every browser supports `for await` on streams. */
async function* iterate(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
