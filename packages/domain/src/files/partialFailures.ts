/** Collects failures within a sweep. */
import { Failure } from '@tapedeck/values/failure';
import type { BlobStore } from '../ports/blobs.ts';

/**
 * Continues after failures and reports them at the end. Stops only if the whole store is unreachable, because each further attempt could take
 * until the store's timeout.
 */
export class PartialFailures {
  readonly #blobs: Pick<BlobStore, 'check'>;
  readonly #what: string;
  #count = 0;
  #first: unknown;

  /** `what`: the failing work, as in `bytes could not be removed`. */
  constructor(blobs: Pick<BlobStore, 'check'>, what: string) {
    this.#blobs = blobs;
    this.#what = what;
  }

  /** Resolves to null if the work failed. */
  async attempt<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      // A single blob may also be unavailable, for example in a damaged directory.
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
