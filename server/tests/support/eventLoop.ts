/** Measures how long work blocks this thread's event loop at a stretch, in the thread's CPU time, so that a busy machine does not matter. */

import assert from 'node:assert/strict';

const holdMsMax = 50; // CONTRACT.md, 14
const triesMax = 5; // one try may include garbage collection of earlier work
const referenceMs = 5; // the time of `reference` on the machine for which the limit was set
const reference = `{${Array.from({ length: 20_000 }, (_, index) => `"k${index}":1`).join(',')}}`;
const slownessMax = 2;

/** Fails if every try of the work blocks the event loop of this process too long. The service runs in this process as well. */
export async function requireShortHolds(work: () => Promise<unknown>): Promise<void> {
  const holds: number[] = [];
  let msMax = holdMsMax;
  do {
    holds.push(await measureLongestHold(work));
    if (Math.min(...holds) > msMax) msMax = holdMsMax * measureSlowness();
  } while (Math.min(...holds) > msMax && holds.length < triesMax);
  assert.ok(
    Math.min(...holds) <= msMax,
    `the event loop was blocked for ${holds.map(Math.round).join(', ')} ms of at most ${Math.round(msMax)}`,
  );
}

/** Returns how many times slower than the reference machine this one is now; at least 1. */
function measureSlowness(): number {
  let best = Number.POSITIVE_INFINITY;
  for (let trial = 0; trial < triesMax; trial++) {
    const before = readProcessorMs();
    JSON.parse(reference);
    best = Math.min(best, readProcessorMs() - before);
  }
  return Math.min(Math.max(best / referenceMs, 1), slownessMax);
}

/** Returns the longest stretch in milliseconds between two turns of the event loop during the work. */
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
  // Looks once a turn. It is unreferenced so that looking does not spin while a thread works.
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
