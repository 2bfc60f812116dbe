/**
 * Checks which stores respond, periodically and after failures. Reports each outage and each recovery once. Code that can work without a store checks
 * here whether it is available.
 */
import { Failure } from '@tapedeck/values/failure';

export type StoreName = 'database' | 'blobs' | 'logs';

/** `reason`: a sentence for the operator; null while the store answers. */
export type StoreState = { name: StoreName; reason: string | null };

/** `error`: the thrown error, if its message is not meant for operators. */
export type StoreChange = StoreState & { error?: unknown; unavailableMs: number };

type StoreCheck = {
  name: StoreName;
  ping(): Promise<void>;
  /** Asked once the store answers; null if `ping` says everything. A store that takes no writes may still be read. */
  pingWriting: (() => Promise<void>) | null;
};

export type SingleStoreHealth = {
  isUnavailable(): boolean;
  /** Checks now. Resolves to whether it is away. */
  look(): Promise<boolean>;
};

/** For commands that cannot run without the store: treats it as always available. */
export const alwaysAvailable: SingleStoreHealth = { isUnavailable: () => false, look: async () => false };

const pollIntervalMs = 10_000; // a failed call checks at once
const pingMsMax = 5_000; // a store silent for longer counts as unreachable
const absentPingMsMax = 500; // orchestrators' probes time out after a second
const slowestFailureMs = 20_000; // a call to a store that was away can fail this much later
const forgottenPingMs = 30_000; // the connection was probably cut silently

type Watched = StoreCheck & {
  reason: string | null;
  unavailableSince: number;
  pending: Ping | null;
  /** Whether the last ping got its answer, whatever becomes of writing. */
  isReadable: boolean;
};

type Ping = { outcome: Promise<void>; startedAt: number; isUnanswered: boolean };

export class StoreHealth implements Disposable {
  readonly #stores = new Map<StoreName, Watched>();
  readonly #tell: (change: StoreChange) => void;
  readonly #timer: NodeJS.Timeout;
  #backAt = Number.NEGATIVE_INFINITY;
  #isOver = false;
  #isLeaving = false;

  constructor(notify: (change: StoreChange) => void) {
    this.#tell = notify;
    this.#timer = setInterval(() => void this.look(), pollIntervalMs).unref();
  }

  add(check: StoreCheck): void {
    this.#stores.set(check.name, {
      ...check,
      reason: null,
      unavailableSince: 0,
      pending: null,
      isReadable: true,
    });
  }

  /** Marks this node as about to stop, so that traffic goes to others. */
  leave(): void {
    this.#isLeaving = true;
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** The last known states. */
  get states(): StoreState[] {
    return [...this.#stores.values()].map(({ name, reason }) => ({ name, reason }));
  }

  isUnavailable(name: StoreName): boolean {
    return (this.#stores.get(name)?.reason ?? null) !== null;
  }

  /** Like `isUnavailable`, for those who only read. */
  isUnreadable(name: StoreName): boolean {
    return this.isUnavailable(name) && this.#stores.get(name)?.isReadable === false;
  }

  /** Checks all stores now. Resolves soon even if they do not answer. */
  async look(): Promise<StoreState[]> {
    await Promise.all([...this.#stores.values()].map(store => this.#ask(store)));
    return this.states;
  }

  /** Checks one store now. Resolves to whether it is away. */
  async lookAt(name: StoreName): Promise<boolean> {
    const store = this.#stores.get(name);
    if (store !== undefined) await this.#ask(store);
    return this.isUnavailable(name);
  }

  /** Whether an outage explains a failure just now: a store is away, was away recently, or all are being closed. */
  async explainsFailures(): Promise<boolean> {
    await this.look();
    const isUnavailable = this.#isOver || this.states.some(({ reason }) => reason !== null);
    return isUnavailable || performance.now() - this.#backAt < slowestFailureMs;
  }

  watchOf(name: StoreName): SingleStoreHealth {
    return { isUnavailable: () => this.isUnavailable(name), look: () => this.lookAt(name) };
  }

  /** Stops reporting, since closed stores do not answer either. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    clearInterval(this.#timer);
  }

  /** Concurrent callers share one ping. If the store is already away, they wait only briefly. */
  async #ask(store: Watched): Promise<void> {
    if (this.#isOver) return;
    const startedAt = performance.now();
    if (store.pending === null || startedAt - store.pending.startedAt > forgottenPingMs)
      this.#ping(store, startedAt);
    const { pending } = store;
    const late = Promise.withResolvers<void>();
    const isLate = () => {
      if (pending?.isUnanswered && performance.now() - pending.startedAt >= pingMsMax)
        store.isReadable = false;
      this.#recordState(store, store.reason ?? `The check of ${store.name} got no answer.`);
      late.resolve();
    };
    const timer = setTimeout(isLate, store.reason === null ? pingMsMax : absentPingMsMax);
    await Promise.race([pending?.outcome, late.promise]);
    clearTimeout(timer);
  }

  #ping(store: Watched, startedAt: number): void {
    const outcome = Promise.withResolvers<void>();
    const pending: Ping = { outcome: outcome.promise, startedAt, isUnanswered: true };
    store.pending = pending;
    void pingStore(store, pending)
      .then(
        () => this.#recordState(store, null),
        error => {
          const silence = `The check of ${store.name} failed: the log of the service says why.`;
          // Failures carry messages for people; other errors may reveal internals.
          if (error instanceof Failure) this.#recordState(store, error.message);
          else this.#recordState(store, silence, error);
        },
      )
      .finally(() => {
        store.pending = null;
        outcome.resolve();
      });
  }

  #recordState(store: Watched, reason: string | null, error?: unknown): void {
    if (this.#isOver) return;
    const wasUnavailable = store.reason !== null;
    store.reason = reason;
    if (wasUnavailable === (reason !== null)) return;
    if (wasUnavailable) this.#backAt = performance.now();
    else store.unavailableSince = performance.now();
    const unavailableMs = Math.round(performance.now() - store.unavailableSince);
    this.#tell({ name: store.name, reason, unavailableMs, ...(error !== undefined && { error }) });
  }
}

async function pingStore(store: Watched, pending: Ping): Promise<void> {
  try {
    await store.ping();
    store.isReadable = true;
  } catch (error) {
    store.isReadable = false;
    throw error;
  } finally {
    pending.isUnanswered = false;
  }
  await store.pingWriting?.();
}
