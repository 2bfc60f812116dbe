/** One thing that fails in the middle of a sweep keeps no others from being done; it is told of at the end. */
export class Setbacks {
  readonly #what: string;
  #count = 0;
  #first: unknown;

  /** What it is that fails, as in `bytes could not be removed`. */
  constructor(what: string) {
    this.#what = what;
  }

  /** null when it failed. */
  async outlast<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      this.#count += 1;
      this.#first ??= error;
      return null;
    }
  }

  requireNone(): void {
    if (this.#count === 0) return;
    const times = this.#count === 1 ? 'Once' : `${this.#count} times`;
    throw new Error(`${times} ${this.#what}.`, { cause: this.#first });
  }
}
