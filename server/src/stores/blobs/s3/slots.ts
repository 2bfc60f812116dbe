/** So many at once and no more; who comes later waits its turn, for a time. */
import { ServiceError } from '../../../vocabulary.ts';

export class Slots {
  #free: number;
  readonly #waitMsMax: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number, waitMsMax: number) {
    this.#free = count;
    this.#waitMsMax = waitMsMax;
  }

  /** Resolves with what gives the slot back; calling that twice is harmless. */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await this.#waitForOne();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#passOn();
    };
  }

  #waitForOne(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(proceed);
        const sentence = 'The file store is busy: try again in a few seconds.';
        reject(new ServiceError('overloaded', sentence, { retryAfterSeconds: 5 }));
      }, this.#waitMsMax);
      const proceed = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.add(proceed);
    });
  }

  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free++;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
