/**
 * Lets equal statements that wait in line share one result: later callers join while the first still waits. Each caller
 * made visible what it must find before it got in line, and the statement is sent after that, so the result holds for
 * all of them.
 */

type Waiting<Answer> = { answer: Promise<Answer>; leaving: AbortController; askers: number };

export class SharedWaiting<Answer> {
  readonly #waiting = new Map<string, Waiting<Answer>>();

  /**
   * `ask` calls `begin` when it is about to send the statement: nobody joins it from then on. Its signal aborts once every asker has left.
   * All askers get the same answer, so that none may change it.
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
    answer.catch(() => {}); // askers get the error, unless all have left
    const waiting: Waiting<Answer> = { answer, leaving, askers: 0 };
    this.#waiting.set(key, waiting);
    return waiting;
  }

  #close(key: string, waiting: Waiting<Answer>): void {
    if (this.#waiting.get(key) === waiting) this.#waiting.delete(key);
  }
}
