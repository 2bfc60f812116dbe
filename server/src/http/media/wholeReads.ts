/** Bounds the memory of files that are sent in one piece, because many slow readers could hold a file each. */

export const wholeReadsBytesMax = 32 * 1024 * 1024; // beyond it they are streamed as well
export const warmedFileBytesMax = 128 * 1024; // of these a slow reader may hold one each

/** To be called when the answer has been sent or given up. */
export type Release = () => void;

export type WholeReads = {
  /** null when there is no room for so many bytes. */
  take(bytes: number): Release | null;
  /** For bytes that lie in memory already: they count once, however many readers they have, and small ones not at all. */
  hold(bytes: Buffer): Release | null;
};

/** Of a longer file no whole read is possible: the blob store has a limit of its own. */
export function makeWholeReads(fileBytesMax: number): WholeReads {
  let heldBytes = 0;
  const holders = new Map<Buffer, number>();
  const take = (bytes: number) => {
    if (bytes > fileBytesMax || heldBytes + bytes > wholeReadsBytesMax) return null;
    heldBytes += bytes;
    return () => {
      heldBytes -= bytes;
    };
  };
  const hold = (bytes: Buffer) => {
    if (bytes.length <= warmedFileBytesMax) return nothing;
    const others = holders.get(bytes) ?? 0;
    if (others === 0 && take(bytes.length) === null) return null;
    holders.set(bytes, others + 1);
    return () => {
      const left = (holders.get(bytes) ?? 1) - 1;
      if (left > 0) {
        holders.set(bytes, left);
        return;
      }
      holders.delete(bytes);
      heldBytes -= bytes.length;
    };
  };
  return { take, hold };
}

function nothing(): void {
  // small files are held without a count
}
