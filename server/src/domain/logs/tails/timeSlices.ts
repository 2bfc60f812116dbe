/** Limits how long deliveries to followers may block each round of the event loop. */

const roundMsMax = 10;

export class TimeSlices {
  readonly #waiting = new Set<() => void>();

  /** Resolves once the work is done, in a later round, after all earlier work. */
  run(work: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) setImmediate(() => this.#work());
      this.#waiting.add(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #work(): void {
    const startedAt = performance.now();
    for (const next of this.#waiting) {
      if (performance.now() - startedAt > roundMsMax) {
        setImmediate(() => this.#work());
        return;
      }
      this.#waiting.delete(next);
      next();
    }
  }
}
