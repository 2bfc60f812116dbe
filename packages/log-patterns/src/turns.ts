/** Splits long work into parts and yields to the event loop in between. */
import { setImmediate as nextTurn } from 'node:timers/promises';

const msPerTurn = 5;
const partSize = 32;

export async function* inTurns<Each>(all: readonly Each[]): AsyncGenerator<readonly Each[]> {
  let startedAt = performance.now();
  for (let at = 0; at < all.length; at += partSize) {
    if (performance.now() - startedAt > msPerTurn) {
      await nextTurn();
      startedAt = performance.now();
    }
    yield all.slice(at, at + partSize);
  }
}
