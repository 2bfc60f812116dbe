/** Slows a stream of entries down while they can be sent, and lets them be dropped when they cannot. */
import type { Logs } from './options.ts';

const waitMsMax = 2000; // a program that logs must not stand still, nor keep lines in memory outside of the queue

/** Waits for room, but not for long; then it waits no more until there was room again. */
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
