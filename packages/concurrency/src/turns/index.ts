/** Splits long work into turns, so that other work gets the event loop in between. */
import { setImmediate } from 'node:timers/promises';

const turnMsMax = 8;

/** Call the result at each step; null: continue at once. It reads the clock every `stepsPerLook` steps. */
export function takeTurns(stepsPerLook = 256): () => Promise<void> | null {
  let begunAt = performance.now();
  let steps = 0;
  const letOthers = async () => {
    await setImmediate();
    begunAt = performance.now();
  };
  return () => (++steps % stepsPerLook === 0 && performance.now() - begunAt > turnMsMax ? letOthers() : null);
}
