/** Counts what the bodies hold in memory that are read whole: those on their way, and those that wait to be stored. */
import { limits } from '../../vocabulary.ts';

let heldBytes = 0;

/** Whether all together are still within their bound; they count until they are let go, also beyond it. */
export function holdBytes(bytes: number): boolean {
  heldBytes += bytes;
  return heldBytes <= limits.unfinishedBodiesBytesMax;
}

export function letBytesGo(bytes: number): void {
  heldBytes -= bytes;
}
