/** Collects failures within a sweep. */
import { Failure } from '@tapedeck/values/failure';
import type { BlobStore } from '../ports/blobs.ts';

/**
 * A failure in the middle of a cleanup does not stop the rest and is reported at the end. Only if the whole store is
 * out of reach the cleanup stops, because each further attempt would take as long as the store may stay silent.
 */
export class PartialFailures {
  readonly #blobs: Pick<BlobStore, 'check'>;
  readonly #what: string;
  #count = 0;
  #first: unknown;

  /** The failing work, as in `bytes could not be removed`. */
  constructor(blobs: Pick<BlobStore, 'check'>, what: string) {
    this.#blobs = blobs;
    this.#what = what;
  }

  /** null when it failed. */
  async attempt<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      // A single blob may be unavailable, too: a damaged directory, or one that the store refuses to touch.
      if (error instanceof Failure && error.code === 'blobs_unavailable') await this.#blobs.check();
      this.#count += 1;
      this.#first ??= error;
      return null;
    }
  }

  throwIfAny(): void {
    if (this.#count === 0) return;
    const times = this.#count === 1 ? 'Once' : `${this.#count} times`;
    throw new Error(`${times} ${this.#what}.`, { cause: this.#first });
  }
}
