/** Writes an archive entry by entry without buffering files: sizes and checksums follow each file's bytes. */
import { Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';
import { openDirectory } from './directory.ts';
import {
  type EntryFacts,
  smallSizeBytesMax,
  writeDescriptor,
  writeEnd,
  writeLocalHeader,
} from './records.ts';

export type ZipEntry = {
  /** Folders are separated by `/`. `openArchiveNames` makes safe and unique names; this function writes them unchanged. */
  path: string;
  modifiedAt: Date;
  bytes: AsyncIterable<Uint8Array>;
  /**
   * The entry has at most this many bytes. Entries under 4 GiB then need no 64-bit sizes, which a few older programs can't read. Without it,
   * an entry may have any size.
   */
  sizeBytesMax?: number;
  /** For text. Media are stored uncompressed, because they hardly shrink. */
  compressed?: boolean;
};

/**
 * Yields the archive in chunks. It reads each entry before it requests the next, so callers may make entries while the archive is
 * written. If reading an entry fails, the archive fails too. An entry whose bytes end early is written as it is.
 */
export async function* writeZip(
  entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const directory = openDirectory();
  let offset = 0;
  for await (const entry of entries) {
    const facts: EntryFacts = {
      nameBytes: Buffer.from(entry.path),
      modifiedAt: entry.modifiedAt,
      compressed: entry.compressed ?? false,
      large: (entry.sizeBytesMax ?? Number.POSITIVE_INFINITY) > smallSizeBytesMax,
    };
    const header = writeLocalHeader(facts);
    yield header;
    const sums = { checksum: 0, sizeBytes: 0, storedBytes: 0 };
    const read = sumBytes(entry.bytes, sums);
    for await (const chunk of facts.compressed ? deflate(read) : read) {
      sums.storedBytes += chunk.byteLength;
      yield chunk;
    }
    if (!facts.large && Math.max(sums.sizeBytes, sums.storedBytes) > smallSizeBytesMax) {
      throw new RangeError(`${entry.path} holds ${sums.sizeBytes} bytes, more than sizeBytesMax said.`);
    }
    const descriptor = writeDescriptor(facts, sums);
    yield descriptor;
    directory.add(facts, { ...sums, offset });
    offset += header.byteLength + sums.storedBytes + descriptor.byteLength;
  }
  yield* directory.chunks();
  yield writeEnd({ entries: directory.count(), offset, sizeBytes: directory.sizeBytes() });
}

async function* sumBytes(
  bytes: AsyncIterable<Uint8Array>,
  sums: { checksum: number; sizeBytes: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of bytes) {
    sums.checksum = crc32(chunk, sums.checksum);
    sums.sizeBytes += chunk.byteLength;
    yield chunk;
  }
}

function deflate(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return Readable.from(bytes, { objectMode: false }).compose(createDeflateRaw());
}
