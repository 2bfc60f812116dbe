/** Lets so many pass at once and keeps the others waiting in line, so that what is heavy never crowds out what is light. */

/** How long the line may be, and what is told to who would make it longer. */
export type LineEnd = { waitingMax: number; refuse(): Error };

export class Gate {
  readonly #passesMax: number;
  readonly #lineEnd: LineEnd | null;
  #passing = 0;
  readonly #waiting = new Set<() => void>();

  constructor(passesMax: number, lineEnd: LineEnd | null = null) {
    this.#passesMax = passesMax;
    this.#lineEnd = lineEnd;
  }

  /** Resolves to the pass, which is disposed of to let the next one in. Rejects with the signal's reason, or when the line is full. */
  async enter(signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted();
    if (this.#passing < this.#passesMax) this.#passing++;
    else await this.#wait(signal);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#leave();
        isHeld = false;
      },
    };
  }

  /** The same for who waits only so long. Rejects with the refusal then. */
  async enterWithin(timeMsMax: number, refuse: () => Error, signal?: AbortSignal): Promise<Disposable> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(refuse()), timeMsMax);
    try {
      return await this.enter(signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whoever leaves hands the pass over: nobody overtakes the line. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#passing--;
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    if (this.#lineEnd !== null && this.#waiting.size >= this.#lineEnd.waitingMax)
      return Promise.reject(this.#lineEnd.refuse());
    return new Promise((resolve, reject) => {
      const enter = () => {
        this.#waiting.delete(enter);
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        this.#waiting.delete(enter);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(enter);
    });
  }
}
