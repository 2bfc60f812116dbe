/** Work that is done now and then, beside the requests. */
import type { Logger } from 'pino';

/** Runs the work now and then; a failure is logged and the next turn tries again. Returns what ends it. */
export function repeat(log: Logger, intervalMs: number, work: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running
      .then(work)
      .catch(error => log.warn({ err: error }, 'background work failed; it will be tried again'));
  }, intervalMs).unref();
  return () => {
    clearInterval(timer);
    return running;
  };
}
