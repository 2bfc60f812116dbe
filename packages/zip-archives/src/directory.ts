/** The list of entries that ends an archive. It grows with the archive, so it uses a few large buffers. */
import { type EntryFacts, type EntryPlace, writeCentralHeader } from './records.ts';

const bufferBytes = 256 * 1024; // about 2,000 entries

export function openDirectory() {
  const full: Uint8Array[] = [];
  let current = Buffer.allocUnsafe(bufferBytes);
  let used = 0;
  let count = 0;
  let sizeBytes = 0;

  return {
    add(facts: EntryFacts, place: EntryPlace): void {
      const header = writeCentralHeader(facts, place);
      if (used + header.byteLength > current.byteLength) {
        full.push(current.subarray(0, used));
        current = Buffer.allocUnsafe(Math.max(bufferBytes, header.byteLength));
        used = 0;
      }
      current.set(header, used);
      used += header.byteLength;
      sizeBytes += header.byteLength;
      count += 1;
    },
    count: () => count,
    sizeBytes: () => sizeBytes,
    *chunks(): Generator<Uint8Array> {
      yield* full;
      if (used > 0) yield current.subarray(0, used);
    },
  };
}
