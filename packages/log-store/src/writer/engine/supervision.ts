/** Keeps the log engine running: restarts it when it ends or no longer answers, and stops it with the service. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../../logger.ts';
import { type Engine, type EngineOptions, isAnswering, startEngine } from './engine.ts';
import type { Endpoint } from './requests.ts';

/** A ClickHouse that stores entries: the embedded engine or an external server. */
export type EngineAccess = {
  /** Returns null while the engine is known to be down. Each start has a new endpoint. */
  endpoint(): Endpoint | null;
  /** Calls the listener whenever the engine has come up (again), until unsubscribed. */
  onUp(listener: () => void): () => void;
};

export type SupervisedEngine = AsyncDisposable & EngineAccess & { processId(): number | null };

type Supervision = {
  options: EngineOptions;
  log: Logger;
  engine: Engine | null;
  failures: number;
  stopping: AbortController;
  upListeners: Set<() => void>;
};

const restartDelayMsMin = 100;
const restartDelayMsMax = 3_000; // queries recover within ten seconds (CONTRACT.md, 4.5)
const settledAfterMs = 1_000; // an engine that ran this long did not fail at its start
const watchIntervalMs = 5_000;
const unansweredMax = 6; // half a minute of silence, far longer than an overloaded machine causes

/** Rejects if the engine does not start at all, or the signal aborts first. Disposing stops the engine and waits until it has ended. */
export async function superviseEngine(
  options: EngineOptions,
  log: Logger,
  signal?: AbortSignal,
): Promise<SupervisedEngine> {
  const supervision: Supervision = {
    options,
    log,
    engine: null,
    failures: 0,
    stopping: new AbortController(),
    upListeners: new Set(),
  };
  const first = await startPatiently(options, signal);
  const running = keepRunning(supervision, first);
  const watching = watch(supervision);
  return {
    endpoint: () => supervision.engine?.endpoint ?? null,
    processId: () => supervision.engine?.processId ?? null,
    onUp(listener) {
      supervision.upListeners.add(listener);
      return () => supervision.upListeners.delete(listener);
    },
    async [Symbol.asyncDispose]() {
      supervision.stopping.abort();
      await supervision.engine?.stop();
      await Promise.all([running, watching]);
    },
  };
}

const firstStartsMax = 40; // about five seconds: the engine of a service that was killed may still be ending
const firstStartsIntervalMs = 125;

/** The directory may be locked for a moment by an engine whose service was killed, and the port may be taken by chance. */
async function startPatiently(options: EngineOptions, signal?: AbortSignal): Promise<Engine> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startEngine(options, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt === firstStartsMax || !isPassing(error)) throw error;
      await wait(firstStartsIntervalMs);
    }
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof Error && /Cannot lock file|Address already in use/.test(error.message);
}

async function keepRunning(supervision: Supervision, first: Engine): Promise<void> {
  const { log, stopping } = supervision;
  let engine: Engine | null = first;
  while (engine !== null) {
    const startedAt = Date.now();
    supervision.engine = engine;
    for (const listener of supervision.upListeners) listener();
    const { exitCode, signal, output } = await engine.ended;
    supervision.engine = null;
    if (stopping.signal.aborted) return;
    if (Date.now() - startedAt > settledAfterMs) supervision.failures = 0;
    log.error({ exitCode, signal, output }, 'the log engine ended; restarting it');
    engine = await startAgain(supervision);
  }
}

async function startAgain(supervision: Supervision): Promise<Engine | null> {
  const { options, log, stopping } = supervision;
  for (;;) {
    const delayMs = restartDelayMsMin * 2 ** (supervision.failures - 1);
    supervision.failures++;
    // The first restart comes at once, because the cause has usually passed.
    if (supervision.failures > 1) await pause(Math.min(delayMs, restartDelayMsMax), stopping.signal);
    if (stopping.signal.aborted) return null;
    try {
      const engine = await startEngine(options, stopping.signal);
      if (!stopping.signal.aborted) return engine;
      await engine.stop();
      return null;
    } catch (error) {
      if (stopping.signal.aborted) return null;
      log.error({ err: error }, 'the log engine did not start; trying again');
    }
  }
}

/** Kills an engine that runs but does not answer; its data survive that. */
async function watch(supervision: Supervision): Promise<void> {
  const { log, stopping } = supervision;
  let watched: Engine | null = null;
  let unanswered = 0;
  while (!stopping.signal.aborted) {
    await pause(watchIntervalMs, stopping.signal);
    const { engine } = supervision;
    if (engine !== watched) unanswered = 0;
    watched = engine;
    if (engine === null || stopping.signal.aborted) continue;
    unanswered = (await isAnswering(engine.endpoint, watchIntervalMs)) ? 0 : unanswered + 1;
    if (unanswered < unansweredMax || stopping.signal.aborted) continue;
    log.error('the log engine does not answer; killing it');
    engine.kill();
  }
}

/** Ends early, and without an error, when the service stops. */
async function pause(timeMs: number, signal: AbortSignal): Promise<void> {
  await wait(timeMs, undefined, { signal }).catch(() => {});
}
