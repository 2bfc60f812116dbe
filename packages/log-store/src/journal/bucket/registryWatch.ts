/** Looks at what waits in the registry, and registers the notes of silent nodes. Callers during a run share the next one. */
import { setTimeout as wait } from 'node:timers/promises';
import { describeOutage, LogStoreFailure } from '../../failures.ts';
import type { Logger } from '../../logger.ts';
import { registerNotes } from './offlineTakeover.ts';
import type { SegmentBucket } from './segmentBucket.ts';
import type { RegistryLook, SegmentRegistry } from './segmentRegistry.ts';

type WatchDeps = {
  log: Logger;
  bucket: SegmentBucket;
  registry: SegmentRegistry;
  /** The marks of all shards that this node knows. */
  marks: readonly string[];
};

/** More segments wait only while no shard takes any; no query waits for that many. */
const segmentsSeenMax = 2_000;
const pollMs = 20;
const takeAgainMs = 1_000; // while no query asks
const warnAgainMs = 60_000;

export class RegistryWatch {
  readonly #deps: WatchDeps;
  #takenAt = Number.NEGATIVE_INFINITY;
  #warnedAt = Number.NEGATIVE_INFINITY;
  /** Lists the segments that wait at some moment after the call. */
  readonly look: () => Promise<RegistryLook>;
  /** Also lists segments that nodes kept as notes because they could not reach the registry. */
  readonly lookEverywhere: () => Promise<RegistryLook>;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
    this.look = shareRuns(() => this.#look());
    this.lookEverywhere = shareRuns(() => this.#lookEverywhere());
  }

  /**
   * Resolves once queries can find everything that any node acknowledged before the call. Calls `hurry` while something is
   * left. Rejects with `engine_unavailable` after the given time, or when the waiting segments cannot be known.
   */
  async untilImported(timeMsMax: number, hurry: () => void): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(describeOutage()), timeMsMax);
    const deadline = performance.now() + timeMsMax;
    try {
      await Promise.race([this.#untilImported(deadline, hurry), late.promise]);
    } catch (error) {
      throw error instanceof LogStoreFailure ? error : describeBlindness(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Called by lanes after each look. Registers segments of silent nodes, and reports those that cannot be handled automatically. */
  notice(look: RegistryLook): void {
    this.#warnOfStranded(look);
    this.#takeInPassing(look);
  }

  /** Warns about segments of a shard that is no longer configured. It may have them, and may be configured again. */
  #warnOfStranded({ segments }: RegistryLook): void {
    if (performance.now() - this.#warnedAt < warnAgainMs) return;
    const stranded = segments.filter(
      segment => segment.import !== null && !this.#deps.marks.includes(segment.shard),
    );
    if (stranded.length === 0) return;
    this.#warnedAt = performance.now();
    this.#deps.log.warn(
      { segments: stranded.length },
      'entries are assigned to a ClickHouse server that TAPEDECK_CLICKHOUSE_URL no longer lists: add it, or run `tapedeck adopt` to assign them to others',
    );
  }

  #takeInPassing({ silent }: RegistryLook): void {
    if (silent.length === 0 || performance.now() - this.#takenAt < takeAgainMs) return;
    this.#takenAt = performance.now();
    this.lookEverywhere().catch(() => {});
  }

  async #untilImported(deadline: number, hurry: () => void): Promise<void> {
    const { segments } = await this.lookEverywhere();
    let left = new Set(segments.map(({ name }) => name));
    if (left.size > 0) await this.#deps.registry.want([...left]);
    while (left.size > 0) {
      hurry();
      if (performance.now() > deadline || left.size >= segmentsSeenMax) throw describeOutage();
      await wait(pollMs);
      const waiting = new Set((await this.look()).segments.map(({ name }) => name));
      left = left.intersection(waiting);
    }
  }

  #look(): Promise<RegistryLook> {
    return this.#deps.registry.look(segmentsSeenMax);
  }

  async #lookEverywhere(): Promise<RegistryLook> {
    const look = await this.#look();
    if (look.silent.length === 0) return look;
    await registerNotes(this.#deps, look);
    return await this.#look();
  }
}

/** Gives each call a run that begins after the call. */
function shareRuns<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  let next: Promise<T> | null = null;
  const runNext = async () => {
    await running?.catch(() => {}); // the caller gets the error
    next = null;
    running = work();
    return await running;
  };
  return () => {
    next ??= runNext();
    return next;
  };
}

function describeBlindness(cause: unknown): LogStoreFailure {
  const sentence = 'It is currently unknown which entries arrived last. Try again in a moment.';
  return new LogStoreFailure('engine_unavailable', sentence, { cause, retryAfterSeconds: 1 });
}
