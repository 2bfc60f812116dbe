/**
 * Gives memory back to the system while the service is idle: garbage, for which the young generation stays large, and pages of Node.js that
 * nothing uses. Both are there again within milliseconds when requests come.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { actWhenIdle } from '@tapedeck/log-store/idleness';

const idleMs = 500; // in ten seconds; the service takes a little for its clocks and background jobs

type CollectGarbage = (options: { type: 'major'; execution: 'async' }) => Promise<void>;

export function keepMemoryLow(): Disposable {
  const timer = actWhenIdle(idleMs, () => void releaseMemory()).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** If it fails, the service only holds more memory. */
async function releaseMemory(): Promise<void> {
  try {
    setFlagsFromString('--expose-gc');
    // This flag adds the function to new contexts.
    const collect = runInNewContext('gc') as CollectGarbage;
    await collect({ type: 'major', execution: 'async' });
    // Calls the system through a native library, which would slow down the start.
    const { releaseUnusedPages } = await import('@tapedeck/log-store/unused-pages');
    await releaseUnusedPages([process.execPath]);
  } catch {
    // Some systems lack the library.
  }
}
