/** Work that is done now and then, beside the requests. */
import type { Logger } from 'pino';

const stopMsMax = 2_000; // more than one thing takes, unless what it asks is away

/**
 * Runs the work at once and then again and again, never twice at a time: a turn that comes due while one runs is left out.
 * A failure is logged, and the next turn tries again. Returns what ends it: that aborts the signal, at which the work looks
 * between any two things it does, and waits for the turn that runs, but not for ever.
 */
export function repeat(
  log: Logger,
  intervalMs: number,
  work: (signal: AbortSignal) => Promise<unknown>,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> | null = null;
  const run = async () => {
    try {
      await work(signal);
    } catch (error) {
      if (signal.aborted && error === signal.reason) return;
      log.warn({ err: error }, 'background work failed; it will be tried again');
    }
  };
  const turn = () => {
    running ??= run().finally(() => {
      running = null;
    });
  };
  turn();
  const timer = setInterval(turn, intervalMs).unref();
  return async () => {
    clearInterval(timer);
    stopping.abort();
    if (running !== null) await waitBriefly(running, log);
  };
}

/** What still runs then fails when the stores close that it uses; the next process does it again. */
async function waitBriefly(running: Promise<void>, log: Logger): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    log.warn('background work did not end in time; it is left behind');
    resolve();
  }, stopMsMax);
  void running.then(resolve);
  await over;
  clearTimeout(timer);
}
