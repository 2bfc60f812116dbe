/** How much is held at once of files that are read in one piece: many slow readers must not hold a file each. */
import type { ServerResponse } from 'node:http';
import { limits } from '../vocabulary.ts';

export type WholeReads = {
  /** True when there is room, which the answer then takes until it has been sent or given up. */
  take(bytes: number, answer: ServerResponse): boolean;
};

export function makeWholeReads(): WholeReads {
  let heldBytes = 0;
  return {
    take: (bytes, answer) => {
      if (bytes > limits.blobReadBytesMax || heldBytes + bytes > limits.wholeReadsBytesMax) return false;
      heldBytes += bytes;
      answer.once('close', () => {
        heldBytes -= bytes;
      });
      return true;
    },
  };
}
