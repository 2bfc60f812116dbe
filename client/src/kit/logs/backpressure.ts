/** Slows down a stream of entries while they can be sent, and lets them drop when they cannot. */
import type { Logs } from './options.ts';

const waitMsMax = 2000; // logging must not block a program, nor hold lines in memory outside the queue

/** Waits briefly for room. After a timeout it stops waiting until there was room again. */
export function openBackpressure(logs: Pick<Logs, 'ready'>): () => Promise<void> {
  let isWaiting = false;
  return async () => {
    if (isWaiting) return;
    isWaiting = true;
    const ready = logs.ready().then(() => {
      isWaiting = false;
    });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise(resolve => {
      timer = setTimeout(resolve, waitMsMax);
    });
    await Promise.race([ready, late]);
    clearTimeout(timer);
  };
}
