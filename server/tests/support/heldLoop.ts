/** Measures how long this thread's event loop is held in one go, in the thread's own processor time: a busy machine adds nothing. */

import assert from 'node:assert/strict';

const holdMsMax = 50; // CONTRACT.md, 14
const triesMax = 3; // garbage of what came before is collected in one of them

/** Fails when the work holds the event loop of this process, in which the service runs as well, each time that it is tried. */
export async function requireShortHolds(work: () => Promise<unknown>): Promise<void> {
  const holds: number[] = [];
  do holds.push(await measureLongestHold(work));
  while (Math.min(...holds) > holdMsMax && holds.length < triesMax);
  assert.ok(
    Math.min(...holds) <= holdMsMax,
    `the event loop was held for ${holds.map(Math.round).join(', ')} ms`,
  );
}

/** Milliseconds of the longest stretch between two turns of the event loop while the work goes on. */
async function measureLongestHold(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let before = readProcessorMs();
  const look = () => {
    const now = readProcessorMs();
    longest = Math.max(longest, now - before);
    before = now;
    if (!isOver) setImmediate(look).unref();
  };
  // Once a turn; without a reference it keeps no turn from waiting, so that looking costs nothing while a thread works.
  const looking = setImmediate(look).unref();
  try {
    await work();
  } finally {
    isOver = true;
    clearImmediate(looking);
    look();
  }
  return longest;
}

function readProcessorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
