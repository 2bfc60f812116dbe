/** Starts the engine of a store that has its own. Loads nothing else of the store, so that a process can begin with it. */
import type { Logger } from './logger.ts';
import { divideMemory, measureMemory } from './writer/engine/memory.ts';
import { type SupervisedEngine, superviseEngine } from './writer/engine/supervision.ts';
import { PartSync } from './writer/flushing/partSync.ts';
import type { LogsConfig } from './writer/servers/addresses.ts';

/** An engine that may still be starting. Disposing of it ends it, started or not, and waits for its end. */
export type StartingEngine = AsyncDisposable & {
  /** Resolves once its process runs, or never will. */
  spawned: Promise<void>;
  started: Promise<SupervisedEngine>;
};

/** The signal ends the start early. */
type EngineDeps = { log: Logger; signal?: AbortSignal | undefined };

/**
 * Begins to start the engine of a store that has its own, so that what else a service opens need not wait for it. The
 * directory must be held by then.
 */
export function beginEngine(config: LogsConfig, { log, signal }: EngineDeps): StartingEngine | null {
  if (config.kind !== 'embedded') return null;
  const { bytesMax: memoryBytesMax } = divideMemory(measureMemory());
  const unwanted = new AbortController();
  const ending = signal ? AbortSignal.any([signal, unwanted.signal]) : unwanted.signal;
  const { directory } = config;
  const spawned = Promise.withResolvers<void>();
  const prepare = () => new PartSync(directory).syncMerged();
  const options = { directory, memoryBytesMax, prepare, onSpawn: spawned.resolve };
  const started = superviseEngine(options, log, ending);
  started.catch(() => {}).finally(spawned.resolve); // callers that wait for the start get the error
  return {
    spawned: spawned.promise,
    started,
    async [Symbol.asyncDispose]() {
      unwanted.abort();
      const [end] = await Promise.allSettled([started]);
      if (end.status === 'fulfilled') await end.value[Symbol.asyncDispose]();
    },
  };
}
