/**
 * Lets a limited number of callers pass and queues the rest, so that heavy work never crowds out light work, and no holder crowds out another. The
 * caller names the holder of the pass: a project, or an address if the project is unknown. Waiting holders take turns.
 */

/** The length of the queue, and the error when it is full. */
type QueueLimit = { waitingMax: number; refuse(): Error };

type GateOptions = {
  /**
   * For long-held passes: a holder gets another pass only while more are free than it holds. So a single holder gets half, and a pass is left for the
   * next one.
   */
  leavesRoom?: boolean;
  queueLimit?: QueueLimit;
};

type WaitLimit = { timeMsMax: number; refuse(): Error; signal?: AbortSignal | undefined };

type Waiter = { enter(): void; giveUp(reason: unknown): void };

export class Gate {
  readonly #passesMax: number;
  readonly #options: GateOptions;
  #passing = 0;
  #waitingCount = 0;
  /** The number of passes of each holder that has any. */
  readonly #held = new Map<string, number>();
  /** Waiting callers by holder, in the order of the holders' turns. */
  readonly #waiting = new Map<string, Set<Waiter>>();

  constructor(passesMax: number, options: GateOptions = {}) {
    this.#passesMax = passesMax;
    this.#options = options;
  }

  /** Returns a pass if one is available to the holder, otherwise null. */
  tryEnter(holder: string): Disposable | null {
    return this.#mayPass(holder) ? this.#pass(holder) : null;
  }

  /** Resolves to a pass; dispose of it to admit the next caller. Rejects with the signal's reason, or if the queue is full. */
  async enter(holder: string, signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted();
    return this.tryEnter(holder) ?? (await this.#wait(holder, signal));
  }

  /** Like `enter`, but rejects with the refusal after a time limit. */
  async enterWithin(holder: string, { timeMsMax, refuse, signal }: WaitLimit): Promise<Disposable> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(refuse()), timeMsMax);
    try {
      return await this.enter(holder, signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /** All callers who could pass are already in, so a new one overtakes no one of the same holder. */
  #mayPass(holder: string): boolean {
    const free = this.#passesMax - this.#passing;
    const held = this.#held.get(holder) ?? 0;
    return free > 0 && (held === 0 || held < free || this.#options.leavesRoom !== true);
  }

  #pass(holder: string): Disposable {
    this.#passing++;
    this.#held.set(holder, (this.#held.get(holder) ?? 0) + 1);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#leave(holder);
        isHeld = false;
      },
    };
  }

  #leave(holder: string): void {
    this.#passing--;
    const left = (this.#held.get(holder) ?? 1) - 1;
    if (left > 0) this.#held.set(holder, left);
    else this.#held.delete(holder);
    for (let isGoingOn = true; isGoingOn; ) isGoingOn = this.#letNextIn();
  }

  /** Admits a caller of the next holder in turn, which then goes to the end. Returns whether there was one. */
  #letNextIn(): boolean {
    for (const [holder, waiters] of this.#waiting) {
      const [first] = waiters;
      if (first === undefined || !this.#mayPass(holder)) continue;
      this.#waiting.delete(holder);
      this.#waiting.set(holder, waiters);
      first.enter();
      return true;
    }
    return false;
  }

  #wait(holder: string, signal: AbortSignal | undefined): Promise<Disposable> {
    const { queueLimit } = this.#options;
    if (queueLimit && this.#waitingCount >= queueLimit.waitingMax && !this.#makePlace(holder, queueLimit))
      return Promise.reject(queueLimit.refuse());
    return new Promise((resolve, reject) => {
      const leaveLine = () => {
        this.#forget(holder, waiter);
        signal?.removeEventListener('abort', abort);
      };
      const waiter: Waiter = {
        enter: () => {
          leaveLine();
          resolve(this.#pass(holder));
        },
        giveUp: reason => {
          leaveLine();
          reject(reason);
        },
      };
      const abort = () => waiter.giveUp(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      this.#remember(holder, waiter);
    });
  }

  #remember(holder: string, waiter: Waiter): void {
    const waiters = this.#waiting.get(holder) ?? new Set();
    this.#waiting.set(holder, waiters.add(waiter));
    this.#waitingCount++;
  }

  #forget(holder: string, waiter: Waiter): void {
    const waiters = this.#waiting.get(holder);
    if (waiters?.delete(waiter)) this.#waitingCount--;
    if (waiters?.size === 0) this.#waiting.delete(holder);
  }

  /** Refuses the last waiter of the holder with the longest queue, if that is longer than this holder's would be. */
  #makePlace(holder: string, { refuse }: QueueLimit): boolean {
    let most: ReadonlySet<Waiter> = new Set();
    for (const waiters of this.#waiting.values()) if (waiters.size > most.size) most = waiters;
    if (most.size <= (this.#waiting.get(holder)?.size ?? 0) + 1) return false;
    [...most].at(-1)?.giveUp(refuse());
    return true;
  }
}
