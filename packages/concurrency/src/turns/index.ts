/** Splits long work, and many short works, into turns, so that other work gets the event loop in between. */
import { setImmediate as nextTurn } from 'node:timers/promises';

const turnMsMax = 8;

/** Call the result at each step; null: continue at once. It reads the clock every `stepsPerLook` steps. */
export function takeTurns(stepsPerLook = 256): () => Promise<void> | null {
  let begunAt = performance.now();
  let steps = 0;
  const letOthers = async () => {
    await nextTurn();
    begunAt = performance.now();
  };
  return () => (++steps % stepsPerLook === 0 && performance.now() - begunAt > turnMsMax ? letOthers() : null);
}

/** Runs many short works, such as deliveries, a few milliseconds of them in a turn. */
export class TimeSlices {
  readonly #waiting = new Set<() => void>();

  /** Resolves once the work is done, in a later turn, after all earlier work. */
  run<Result>(work: () => Result): Promise<Result> {
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
      if (performance.now() - startedAt > turnMsMax) {
        setImmediate(() => this.#work());
        return;
      }
      this.#waiting.delete(next);
      next();
    }
  }
}
