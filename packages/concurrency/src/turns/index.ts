/** Divides long work into turns, between which others get the event loop. */
import { setImmediate } from 'node:timers/promises';

const turnMsMax = 8;

/** The result is called for each step; null: go on at once. `stepsPerLook`: at the clock. */
export function takeTurns(stepsPerLook = 256): () => Promise<void> | null {
  let begunAt = performance.now();
  let steps = 0;
  const letOthers = async () => {
    await setImmediate();
    begunAt = performance.now();
  };
  return () => (++steps % stepsPerLook === 0 && performance.now() - begunAt > turnMsMax ? letOthers() : null);
}
