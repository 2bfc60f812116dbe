/** Notices when this process is idle. Loads nothing, so it costs a start nothing. */

const pollIntervalMs = 10_000;
const looksEach = 6;

/**
 * Acts when the process becomes idle, and then each minute: an idle process needs few of its pages. Idle means less than this processor
 * time in ten seconds. Stop it by clearing the timer.
 */
export function actWhenIdle(idleMs: number, act: () => void): NodeJS.Timeout {
  let before = readProcessorMs();
  let looksAtRest = 0;
  return setInterval(() => {
    const now = readProcessorMs();
    const isIdle = now - before < idleMs;
    before = now;
    if (isIdle && looksAtRest % looksEach === 0) act();
    looksAtRest = isIdle ? looksAtRest + 1 : 0;
  }, pollIntervalMs);
}

/** Processor time of all threads. */
function readProcessorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
