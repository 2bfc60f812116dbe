/**
 * Lets equal statements in line share one result: later callers join while the first still waits. Before a caller gets in
 * line, everything that it must find is visible. The statement is sent after that, so its result is valid for all of them.
 */

type Waiting<Answer> = { answer: Promise<Answer>; leaving: AbortController; askers: number };

export class SharedWaiting<Answer> {
  readonly #waiting = new Map<string, Waiting<Answer>>();

  /**
   * `ask` must call `begin` just before it sends the statement; from then on, no caller joins. Its signal aborts once every caller has left.
   * All callers get the same result, so they must not change it.
   */
  async ask(
    key: string,
    signal: AbortSignal,
    ask: (signal: AbortSignal, begin: () => void) => Promise<Answer>,
  ): Promise<Answer> {
    signal.throwIfAborted();
    const waiting = this.#waiting.get(key) ?? this.#open(key, ask);
    waiting.askers++;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = () => {
      if (--waiting.askers === 0) {
        this.#close(key, waiting);
        waiting.leaving.abort(signal.reason);
      }
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave);
    try {
      return await Promise.race([waiting.answer, left]);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #open(key: string, ask: (signal: AbortSignal, begin: () => void) => Promise<Answer>): Waiting<Answer> {
    const leaving = new AbortController();
    const begin = () => this.#close(key, waiting);
    const answer = Promise.resolve()
      .then(() => ask(leaving.signal, begin))
      .finally(begin);
    answer.catch(() => {}); // callers get the error, unless all have left
    const waiting: Waiting<Answer> = { answer, leaving, askers: 0 };
    this.#waiting.set(key, waiting);
    return waiting;
  }

  #close(key: string, waiting: Waiting<Answer>): void {
    if (this.#waiting.get(key) === waiting) this.#waiting.delete(key);
  }
}
