/** Writes an archive entry by entry, without holding a file: sizes and checksum follow each file's bytes. */
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
  /** With `/` between folders. `openArchiveNames` makes names that are safe and unique; nothing is changed here. */
  path: string;
  modifiedAt: Date;
  bytes: AsyncIterable<Uint8Array>;
  /**
   * The bytes end at or before this many. Entries under 4 GiB need no 64-bit sizes then, which a few older programs
   * cannot read. Without it the entry may have any size.
   */
  sizeBytesMax?: number;
  /** For text. Media are stored as they are, since they hardly get smaller. */
  compressed?: boolean;
};

/**
 * Yields the archive in chunks. Each entry is read before the next one is requested, so entries may be made while the
 * archive is written. If reading an entry fails, so does the archive. An entry whose bytes end early is written as it
 * is.
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
