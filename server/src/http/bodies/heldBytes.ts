/** Counts the bytes of all bodies that are being read whole, or wait to be decoded. The count is of the process, as memory is. */
import { limits, ServiceError } from '../../vocabulary.ts';

let allBytes = 0;

/** What one body holds. Whoever makes one lets it go, whatever happens to the body. */
export class HeldBytes {
  #bytes = 0;

  /** Returns whether all held bytes are within their bound. These count in any case, until they are let go. */
  add(bytes: number): boolean {
    this.#bytes += bytes;
    allBytes += bytes;
    return allBytes <= limits.unfinishedBodiesBytesMax;
  }

  /** A second call does nothing. */
  letGo(): void {
    allBytes -= this.#bytes;
    this.#bytes = 0;
  }
}

/** For bodies beyond the bound. */
export function crowdedError(): ServiceError {
  return new ServiceError(
    'overloaded',
    'Too many large bodies are being read at once; send it again later.',
    {
      retryAfterSeconds: 5,
    },
  );
}
