/** Work on many subjects in turns, so that others get the event loop meanwhile. */
import { setImmediate } from 'node:timers/promises';

const turnMsMax = 8;
const stepsBetweenLooks = 256; // at the clock

/** Called for each step; null: go on at once. */
export function takeTurns(): () => Promise<void> | null {
  let begunAt = performance.now();
  let steps = 0;
  const letOthers = async () => {
    await setImmediate();
    begunAt = performance.now();
  };
  return () =>
    ++steps % stepsBetweenLooks === 0 && performance.now() - begunAt > turnMsMax ? letOthers() : null;
}
