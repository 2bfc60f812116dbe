/**
 * Bounds the memory used by media. Caches the most requested small files; a blob never changes, so a copy stays valid. Limits files sent in one
 * piece, because many slow clients could each hold one.
 */
import type { BlobPlace } from '@tapedeck/domain/ports/blobs';

const hotBytesMax = 48 * 1024 * 1024; // a thousand thumbnails
const hotFileBytesMax = 2 * 1024 * 1024; // from memory, files of this size are sent half again as fast as from the disk's cache
export const wholeReadsBytesMax = 32 * 1024 * 1024; // with more, files are streamed as well
export const warmedFileBytesMax = 128 * 1024; // each slow client may hold one

/** Call it once the answer was sent or abandoned. */
type Release = () => void;

export type MediaMemory = {
  find(place: BlobPlace): Buffer | null;
  /** Caches whole blobs of up to `hotFileBytesMax`, and drops those unread for longest. Ignores larger ones. */
  offer(place: BlobPlace, bytes: Buffer): void;
  /** Reserves memory to send bytes in one piece; null: not enough left. */
  reserve(bytes: number): Release | null;
  /** Holds cached bytes. Counts them once for all readers, and small ones not at all. */
  hold(bytes: Buffer): Release | null;
};

/** Never reads longer files whole, because the blob store has its own limit. */
export function makeMediaMemory(fileBytesMax: number): MediaMemory {
  return { ...keepHotBytes(), ...boundWholeReads(fileBytesMax) };
}

function keepHotBytes(): Pick<MediaMemory, 'find' | 'offer'> {
  const kept = new Map<BlobPlace, Buffer>();
  let keptBytes = 0;
  return {
    find: place => {
      const bytes = kept.get(place);
      if (bytes === undefined) return null;
      kept.delete(place);
      kept.set(place, bytes);
      return bytes;
    },
    offer: (place, bytes) => {
      if (bytes.length > hotFileBytesMax || kept.has(place)) return;
      kept.set(place, bytes);
      keptBytes += bytes.length;
      for (const [oldest, { length }] of kept) {
        if (keptBytes <= hotBytesMax) return;
        kept.delete(oldest);
        keptBytes -= length;
      }
    },
  };
}

function boundWholeReads(fileBytesMax: number): Pick<MediaMemory, 'reserve' | 'hold'> {
  let reservedBytes = 0;
  const holders = new Map<Buffer, number>();
  const reserve = (bytes: number) => {
    if (bytes > fileBytesMax || reservedBytes + bytes > wholeReadsBytesMax) return null;
    reservedBytes += bytes;
    return () => {
      reservedBytes -= bytes;
    };
  };
  const hold = (bytes: Buffer) => {
    if (bytes.length <= warmedFileBytesMax) return nothing;
    const others = holders.get(bytes) ?? 0;
    if (others === 0 && reserve(bytes.length) === null) return null;
    holders.set(bytes, others + 1);
    return () => {
      const remaining = (holders.get(bytes) ?? 1) - 1;
      if (remaining > 0) {
        holders.set(bytes, remaining);
        return;
      }
      holders.delete(bytes);
      reservedBytes -= bytes.length;
    };
  };
  return { reserve, hold };
}

function nothing(): void {
  // small files are not counted
}
