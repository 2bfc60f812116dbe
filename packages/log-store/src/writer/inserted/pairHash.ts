/**
 * Hashes pairs of path and value to 32 bits. The service hashes entries while it inserts them, and the engine those that it already
 * stores, so both must give the same hash: MurmurHash2, of path and value apart.
 */

const factor = 0x5bd1e995;
const pathFactor = 0x9e3779b1; // otherwise path and value could change places

/** Shorter values, such as `true` or small numbers, are in nearly every part, so they have no hash. */
export const valueBytesMin = 5;

/** Hashes the bytes from `start` to `end`. */
export function hashBytes(bytes: DataView, start: number, end: number): number {
  let hash = end - start;
  let position = start;
  for (; position + 4 <= end; position += 4) {
    let word = Math.imul(bytes.getInt32(position, true), factor);
    word = Math.imul(word ^ (word >>> 24), factor);
    hash = Math.imul(hash, factor) ^ word;
  }
  if (position < end) {
    let rest = 0;
    for (let index = end - 1; index >= position; index--) rest = (rest << 8) | bytes.getUint8(index);
    hash = Math.imul(hash ^ rest, factor);
  }
  hash = Math.imul(hash ^ (hash >>> 13), factor);
  return hash ^ (hash >>> 15);
}

/** Returns the hash of a pair from those of its path and its value; never negative. */
export const joinHashes = (path: number, value: number) => (Math.imul(path, pathFactor) ^ value) >>> 0;

/** Hashes path and value with a NUL between them. Returns null for a short value, and if there are several NULs, since then both are unknown. */
export function hashPair(pair: string): number | null {
  const [path, value, ...others] = pair.split('\0').map(viewText);
  if (path === undefined || value === undefined || others.length > 0) return null;
  if (value.byteLength < valueBytesMin) return null;
  return joinHashes(hashBytes(path, 0, path.byteLength), hashBytes(value, 0, value.byteLength));
}

function viewText(text: string): DataView {
  const bytes = new TextEncoder().encode(text);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The same hash as an expression of the engine. */
export const formatPairHash = (path: string, value: string) =>
  `bitXor(murmurHash2_32(${value}), toUInt32(murmurHash2_32(${path}) * ${pathFactor}))`;
