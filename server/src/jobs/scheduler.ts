/** Runs background jobs at intervals. */

import type { Spans } from '@tapedeck/domain/ports/spans';
import type { Logger } from 'pino';

/** A job that runs at once and then repeatedly. It ends soon after the signal aborts. */
export type Repeated = {
  /** For traces. */
  name: string;
  intervalMs: number;
  work: (signal: AbortSignal) => Promise<unknown>;
};

/** Rests slightly shorter than the interval, so that no other node repeats the work meanwhile. */
export function computePauseMs(intervalMs: number): number {
  return intervalMs * 0.9;
}

const spanMsMin = 10; // most turns only look for work and find none
const stopMsMax = 2_000; // longer than any one step takes, unless a store is away

/**
 * Repeats each job, but never runs it twice at a time: skips a turn that comes due while another is running. Logs a failure, and the next turn
 * retries. Disposing aborts the signal, which jobs check between steps, and waits for all running turns together, for a limited time.
 */
export function startJobs({ log, spans }: Reports, repeated: readonly Repeated[]): AsyncDisposable {
  const stopping = new AbortController();
  const running = new Map<Repeated, Promise<void>>();
  const turn = (one: Repeated) => {
    if (running.has(one)) return;
    const run = runTurn({ log, spans }, one, stopping.signal).finally(() => running.delete(one));
    running.set(one, run);
  };
  const timers = repeated.map(one => {
    turn(one);
    return setInterval(turn, one.intervalMs, one).unref();
  });
  return {
    [Symbol.asyncDispose]: async () => {
      for (const timer of timers) clearInterval(timer);
      stopping.abort();
      if (running.size > 0) await waitBriefly(Promise.all(running.values()), log);
    },
  };
}

type Reports = { log: Pick<Logger, 'warn'>; spans: Spans | null };

async function runTurn(
  { log, spans }: Reports,
  { name, work }: Repeated,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  let hasFailed = false;
  try {
    await work(signal);
  } catch (error) {
    if (signal.aborted && error === signal.reason) return;
    hasFailed = true;
    log.warn({ err: error }, 'background work failed; it will be tried again');
  }
  if (hasFailed || performance.now() - startedAt >= spanMsMin)
    spans?.note({ name: `job: ${name}`, startedAt, attributes: {}, hasFailed });
}

/** Jobs that run even longer fail when the stores close. The next process repeats them. */
async function waitBriefly(running: Promise<unknown>, log: Pick<Logger, 'warn'>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    log.warn('background work did not end in time; it is no longer waited for');
    resolve();
  }, stopMsMax);
  void running.then(() => resolve());
  await over;
  clearTimeout(timer);
}
