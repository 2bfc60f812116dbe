/** Logs a listener's problem once, however often strangers cause it. Then one line a minute reports how often it occurred. */
import type { Logger } from 'pino';

const quietMs = 60_000;
const reasonsMax = 20; // all others share one

/** Receives the reason for a refusal, and the number of messages lost by it. */
export type Report = (error: unknown, lost: number) => void;

type Reason = { times: number; lost: number; error: unknown; timer: NodeJS.Timeout };

export class TroubleLog implements Disposable {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #sentence: string;
  readonly #reasons = new Map<string, Reason>();

  constructor(log: Pick<Logger, 'warn'>, sentence: string) {
    this.#log = log;
    this.#sentence = sentence;
  }

  readonly report: Report = (error, lost) => {
    const text = error instanceof Error ? error.message : String(error);
    const name = this.#reasons.has(text) || this.#reasons.size < reasonsMax ? text : '';
    const known = this.#reasons.get(name);
    if (known !== undefined) {
      known.times++;
      known.lost += lost;
      known.error = error;
      return;
    }
    this.#log.warn({ err: error, lost }, this.#sentence);
    const timer = setInterval(() => this.#repeat(name), quietMs).unref();
    this.#reasons.set(name, { times: 0, lost: 0, error, timer });
  };

  /** Logs what is still unreported. */
  [Symbol.dispose](): void {
    for (const name of this.#reasons.keys()) this.#repeat(name);
    for (const { timer } of this.#reasons.values()) clearInterval(timer);
    this.#reasons.clear();
  }

  #repeat(name: string): void {
    const reason = this.#reasons.get(name);
    if (reason === undefined) return;
    const { times, lost, error } = reason;
    if (times === 0) {
      clearInterval(reason.timer);
      this.#reasons.delete(name);
      return;
    }
    reason.times = 0;
    reason.lost = 0;
    this.#log.warn({ err: error, lost, times }, this.#sentence);
  }
}
