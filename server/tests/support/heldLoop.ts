/** Measures how long this thread's event loop is held in one go, in the thread's own processor time: a busy machine adds nothing. */

import assert from 'node:assert/strict';

const holdMsMax = 50; // CONTRACT.md, 14
const triesMax = 5; // garbage of what came before is collected in one of them
const referenceMs = 5; // what `reference` takes on the machine for which the bound was set
const reference = `{${Array.from({ length: 20_000 }, (_, index) => `"k${index}":1`).join(',')}}`;
const slownessMax = 2;

/** Fails when the work holds the event loop of this process, in which the service runs as well, each time that it is tried. */
export async function requireShortHolds(work: () => Promise<unknown>): Promise<void> {
  const holds: number[] = [];
  let msMax = holdMsMax;
  do {
    holds.push(await measureLongestHold(work));
    if (Math.min(...holds) > msMax) msMax = holdMsMax * measureSlowness();
  } while (Math.min(...holds) > msMax && holds.length < triesMax);
  assert.ok(
    Math.min(...holds) <= msMax,
    `the event loop was held for ${holds.map(Math.round).join(', ')} ms of at most ${Math.round(msMax)}`,
  );
}

/** How many times as long as the reference machine this one takes at present; 1 for a faster one. */
function measureSlowness(): number {
  let best = Number.POSITIVE_INFINITY;
  for (let trial = 0; trial < triesMax; trial++) {
    const before = readProcessorMs();
    JSON.parse(reference);
    best = Math.min(best, readProcessorMs() - before);
  }
  return Math.min(Math.max(best / referenceMs, 1), slownessMax);
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
