/**
 * Registers segments: with a row in the registry, or with a note in the bucket while the database is away. It retries until
 * it knows whether a segment counts, and only then are its requests answered. If it cannot find out within a minute, they
 * get an error that says so.
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

/** A segment that is not known to count yet. */
type Pending = {
  segment: NewSegment;
  /** True if it is in a note that was begun, which another node may take over. */
  isNoted: boolean;
  /** Only the database can settle keys. */
  hasKeys: boolean;
  isKnown: boolean;
  resolve: (isRegistered: boolean) => void;
};

const retryMs = 500;
const pollMs = 100;
const stopMsMax = 3_000; // within the ten seconds of CONTRACT.md, 1

/** A segment is registered within this time of getting its name, or never. Much older objects without a row are swept. */
export const registeredMsMax = 60_000;

/** The service stopped before it knew whether the segment counts. */
export class AbandonedSegment extends Error {}

/** The database does not say whether it has the segment, and can no longer accept it. */
export class UnansweredSegment extends Error {}

export class Registrar {
  readonly #deps: RegistrarDeps;
  readonly #pending = new Set<Pending>();
  #noting: Promise<void> | null = null;
  #error: unknown = null;
  #failingSince = Number.POSITIVE_INFINITY;
  #stoppedAt = Number.POSITIVE_INFINITY;
  /** Failed calls to registry or bucket since the start. */
  failures = 0;

  constructor(deps: RegistrarDeps) {
    this.#deps = deps;
  }

  /** The reason why nothing can be registered now; null while registration works. */
  get trouble(): unknown {
    if (this.#error === null || this.#deps.lease.allowsNotes) return null;
    return new Error('No segment can be registered.', { cause: this.#error }); // wrapped, because a full database is no full bucket
  }

  /** Resolves to whether it counts, after any number of retries; rejects when the outcome can no longer be known. */
  async register(segment: NewSegment, keys: readonly KeyRecord[]): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const pending = { segment, hasKeys: keys.length > 0, isNoted: false, isKnown: false, resolve };
    this.#pending.add(pending);
    try {
      this.#noting ??= this.#noteWhilePending();
      const registration = this.#ask(pending, keys);
      registration.catch(() => {}); // ignored once a note has settled the segment
      return await Promise.race([promise, registration]);
    } finally {
      pending.isKnown = true;
      this.#pending.delete(pending);
    }
  }

  /** Ends retries a moment later; anything unknown by then stays unknown. */
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
    return false; // the caller already has the result
  }

  /** Notes the failure. A full database may renew leases, which change a row, and refuse segments, which add one; then the lease rests. */
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
      await wait(pollMs, undefined, { ref: false });
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

  /** Retries until the bucket has the note, or the database is back and has registered the segments without it. */
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
