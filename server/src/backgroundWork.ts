/** Work that is done now and then, beside the requests. */
import type { Logger } from 'pino';

/** Runs the work at once and then again and again; a failure is logged and the next turn tries again. Returns what ends it. */
export function repeat(log: Logger, intervalMs: number, work: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  const turn = () => {
    running = running
      .then(work)
      .catch(error => log.warn({ err: error }, 'background work failed; it will be tried again'));
  };
  turn();
  const timer = setInterval(turn, intervalMs).unref();
  return () => {
    clearInterval(timer);
    return running;
  };
}
