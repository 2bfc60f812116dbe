/** Starts an embedded engine. Imports nothing else of the store, so a process can start the engine first. */
import type { Logger } from './logger.ts';
import { divideMemory, measureMemory } from './writer/engine/memory.ts';
import { type SupervisedEngine, superviseEngine } from './writer/engine/supervision.ts';
import { PartSync } from './writer/flushing/partSync.ts';
import type { LogsConfig } from './writer/servers/addresses.ts';

/** An engine that may still be starting. Disposing stops it, started or not, and waits until it has ended. */
export type StartingEngine = AsyncDisposable & {
  /** Resolves once the process runs, or can no longer start. */
  spawned: Promise<void>;
  started: Promise<SupervisedEngine>;
};

/** Named as in `schema.ts`, whose imports would delay the start; a test compares them. */
export const keptTable = { database: 'tapedeck', table: 'logs' };

type EngineDeps = {
  log: Logger;
  /** Aborts the start. */
  signal?: AbortSignal | undefined;
  /** Whether the engine refuses to drop or detach the log table; true by default. */
  keepsTable?: boolean;
};

/**
 * Starts an embedded engine in the background, so that a service can open other things meanwhile. The caller must already have locked the directory.
 */
export function beginEngine(
  config: LogsConfig,
  { log, signal, keepsTable = true }: EngineDeps,
): StartingEngine | null {
  if (config.kind !== 'embedded') return null;
  const { bytesMax: memoryBytesMax } = divideMemory(measureMemory());
  const unwanted = new AbortController();
  const ending = signal ? AbortSignal.any([signal, unwanted.signal]) : unwanted.signal;
  const { directory } = config;
  const spawned = Promise.withResolvers<void>();
  const prepare = () => new PartSync(directory).syncMerged();
  const options = {
    directory,
    memoryBytesMax,
    prepare,
    onSpawn: spawned.resolve,
    ...(keepsTable && { keptTable }),
  };
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
