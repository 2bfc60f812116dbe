/**
 * Registers segments: with a row in the registry, or with a note in the bucket while the database is away. It asks
 * until it knows whether a segment counts, and only then its requests are answered. If it cannot find out within a
 * minute, they get an error that says so.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../../logger.ts';
import type { KeyRecord } from '../journal.ts';
import { encodeNote } from './offlineRegistrations.ts';
import type { SegmentBucket } from './segmentBucket.ts';
import { readCreatedAt } from './segmentObject.ts';
import type { NewSegment, SegmentRegistry } from './segmentRegistry.ts';
import type { WriterLease } from './writerLease.ts';

type RegistrarDeps = { log: Logger; bucket: SegmentBucket; registry: SegmentRegistry; lease: WriterLease };

/** A segment of which nobody knows yet whether it counts. */
type Pending = {
  segment: NewSegment;
  /** It stands in a note that was begun, which somebody may take over. */
  isNoted: boolean;
  /** Keys are settled in the database alone. */
  hasKeys: boolean;
  isKnown: boolean;
  resolve: (isRegistered: boolean) => void;
};

const retryMs = 500;
const lookMs = 100;
const stopMsMax = 3_000; // within the ten seconds of CONTRACT.md, 1

/** A segment is registered so soon after it was named, or never. Objects that are much older than that, and have no row, are swept. */
export const registeredMsMax = 60_000;

/** The service stopped before it was known whether the segment counts. */
export class AbandonedSegment extends Error {}

/** The database does not say whether it has the segment, and can take it no more. */
export class UnansweredSegment extends Error {}

export class Registrar {
  readonly #deps: RegistrarDeps;
  readonly #pending = new Set<Pending>();
  #noting: Promise<void> | null = null;
  #error: unknown = null;
  #failingSince = Number.POSITIVE_INFINITY;
  #stoppedAt = Number.POSITIVE_INFINITY;
  /** How often registry or bucket did not answer, since the start. */
  failures = 0;

  constructor(deps: RegistrarDeps) {
    this.#deps = deps;
  }

  /** The reason why nothing can be registered at present; null while registration works. */
  get trouble(): unknown {
    if (this.#error === null || this.#deps.lease.allowsNotes) return null;
    return new Error('No segment can be registered.', { cause: this.#error }); // a full database is no full bucket
  }

  /** Resolves to whether it counts, after any number of retries; rejects when the outcome can no longer be known. */
  async register(segment: NewSegment, keys: readonly KeyRecord[]): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const pending = { segment, hasKeys: keys.length > 0, isNoted: false, isKnown: false, resolve };
    this.#pending.add(pending);
    try {
      this.#noting ??= this.#noteWhilePending();
      const asked = this.#ask(pending, keys);
      asked.catch(() => {}); // of use to nobody once a note has settled it
      return await Promise.race([promise, asked]);
    } finally {
      pending.isKnown = true;
      this.#pending.delete(pending);
    }
  }

  /** Anything still unknown a moment later stays unknown. */
  stop(): void {
    this.#stoppedAt = performance.now();
  }

  async #ask(pending: Pending, keys: readonly KeyRecord[]): Promise<boolean> {
    const { segment } = pending;
    const until = readCreatedAt(segment.name) + registeredMsMax;
    while (!pending.isKnown) {
      try {
        const isRegistered = await this.#deps.registry.register(segment, { until, keys });
        this.#error = null;
        this.#failingSince = Number.POSITIVE_INFINITY;
        // If it is in a note, the node that takes the note over still registers it.
        if (isRegistered || !pending.isNoted) return isRegistered;
      } catch (error) {
        this.#bearRefusal(error);
        if (!pending.isNoted && this.#deps.lease.time.earliest() > until) throw new UnansweredSegment();
      }
      this.#requireRunning();
      await wait(retryMs, undefined, { ref: false });
    }
    return false; // nobody listens
  }

  /** Throws the error of a full database: a lease changes a row, and a segment adds one. */
  #bearRefusal(error: unknown): void {
    this.failures++;
    this.#error = error;
    this.#failingSince = Math.min(this.#failingSince, performance.now());
    if (this.#deps.lease.givenAt > this.#failingSince) this.#deps.lease.rest();
  }

  #requireRunning(): void {
    if (performance.now() > this.#stoppedAt + stopMsMax) throw new AbandonedSegment();
  }

  async #noteWhilePending(): Promise<void> {
    while (this.#pending.size > 0) {
      await wait(lookMs, undefined, { ref: false });
      if (!this.#deps.lease.hasEnded) continue;
      const some = [...this.#pending].filter(pending => this.#canBeNoted(pending));
      if (some.length > 0) await this.#writeNote(some);
    }
    this.#noting = null;
  }

  #canBeNoted({ segment, isNoted, hasKeys }: Pending): boolean {
    const isInTime = this.#deps.lease.time.latest() < readCreatedAt(segment.name) + registeredMsMax;
    return isInTime && !isNoted && !hasKeys;
  }

  /** Until the bucket has it, or the database came back: then it is registered without. */
  async #writeNote(some: readonly Pending[]): Promise<void> {
    const { lease, bucket } = this.#deps;
    const segments = some.map(({ segment }) => segment);
    const bytes = encodeNote(segments);
    let isSettled = false;
    for (const pending of some) pending.isNoted = true;
    const name = lease.beginNote(segments, isRegistered => {
      isSettled = true;
      for (const pending of some) {
        pending.isNoted = false;
        if (isRegistered) pending.resolve(true);
      }
    });
    while (!isSettled && performance.now() < this.#stoppedAt + stopMsMax) {
      try {
        await bucket.put(name, bytes);
        if (lease.mayAcknowledge) for (const { resolve } of some) resolve(true);
        return;
      } catch {
        this.failures++;
        await wait(retryMs, undefined, { ref: false });
      }
    }
  }
}
