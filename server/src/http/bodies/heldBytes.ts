/** Counts the bytes of all bodies that are being read whole, or wait to be decoded. The count is of the process, as memory is. */
import { limits } from '../../vocabulary.ts';

let heldBytes = 0;

/** Returns whether all held bytes are within their bound. The bytes count until `letBytesGo`, also beyond the bound. */
export function holdBytes(bytes: number): boolean {
  heldBytes += bytes;
  return heldBytes <= limits.unfinishedBodiesBytesMax;
}

export function letBytesGo(bytes: number): void {
  heldBytes -= bytes;
}
