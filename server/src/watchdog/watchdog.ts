/** Restarts this process when its main thread stops responding. Otherwise an endless loop would stop the service for good. */
import { url } from 'node:inspector';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Watched } from './watchdog.worker.ts';

const beatMs = 500;

// The worker lies beside this file, in the source and in the bundle.
const threadModule = path.join(import.meta.dirname, `watchdog.worker${path.extname(import.meta.filename)}`);

export function startWatchdog(log: Logger): Disposable {
  const beats = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const watched: Watched = {
    beats,
    command: [process.execPath, ...process.execArgv, ...process.argv.slice(1)],
  };
  const thread = new Worker(threadModule, {
    name: 'watchdog',
    workerData: watched,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 },
  });
  thread.unref();
  thread.on('error', err => log.warn({ err }, 'the main thread has no watchdog'));
  const timer = setInterval(() => {
    Atomics.add(beats, 0, 1);
    Atomics.store(beats, 1, url() === undefined ? 0 : 1);
  }, beatMs).unref();
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
      void thread.terminate();
    },
  };
}
