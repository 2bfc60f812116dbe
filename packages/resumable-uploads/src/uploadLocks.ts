/** Locks an upload, so that only one request works on it, across all processes. */
import { randomBytes } from 'node:crypto';
import { lockedError, noUploadError, ResumableFailure } from './failures.ts';
import type { Hold, Progress, Upload, UploadRecords } from './records.ts';

const holdMs = 5_000; // how long a dead process blocks clients that resume elsewhere
const renewIntervalMs = 1_500; // renews three times before a hold ends
const stalledMs = 1_000; // a client that resumes has left its old connection

type HoldDeps = { records: UploadRecords; now(): number };

/** An upload that only this request works on, until it is disposed of. */
export type HeldUpload = AsyncDisposable & {
  upload: Upload;
  holder: string;
  /** Throws if the hold was lost. */
  progress(progress: Progress): Promise<void>;
  forget(): Promise<void>;
  /** Records whether the request is now waiting for the client. */
  awaitBytes(isAwaited: boolean): void;
  /** Sets how the current worker is stopped. */
  letBeCut(cutOff: () => void): void;
  /** Takes no more bytes. The next request waits for this one to end. */
  close(): void;
};

type Worker = {
  isClosing: boolean;
  /** From `performance.now()`; infinite while the request waits for no bytes. */
  awaitedSince: number;
  isUnwanted: boolean;
  cutOff: (() => void) | null;
  ended: Promise<void>;
};

export class Holds {
  readonly #deps: HoldDeps;
  readonly #workers = new Map<string, Worker>();

  constructor(deps: HoldDeps) {
    this.#deps = deps;
  }

  /** Throws if another request holds the upload, or if it is gone. */
  async take(id: string): Promise<HeldUpload> {
    const held = await this.#takeAny(id);
    if (held === null) throw noUploadError();
    if (held.upload.expiresAt > this.#deps.now()) return held;
    await held[Symbol.asyncDispose]();
    throw noUploadError();
  }

  /** Returns null if the upload hasn't expired or another request is working on it. */
  async takeExpired(id: string): Promise<HeldUpload | null> {
    const held = this.#workers.has(id) ? null : await this.#takeAny(id).catch(orNull);
    if (held === null || held.upload.expiresAt <= this.#deps.now()) return held;
    await held[Symbol.asyncDispose]();
    return null;
  }

  async #takeAny(id: string): Promise<HeldUpload | null> {
    if (this.#workers.has(id)) throw lockedError();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const worker: Worker = {
      awaitedSince: Number.POSITIVE_INFINITY,
      isUnwanted: false,
      isClosing: false,
      cutOff: null,
      ended,
    };
    this.#workers.set(id, worker);
    const leave = () => {
      this.#workers.delete(id);
      end();
    };
    try {
      const held = await this.#open(id, worker, leave);
      if (held === null) leave();
      return held;
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #open(id: string, worker: Worker, leave: () => void): Promise<HeldUpload | null> {
    const { records, now } = this.#deps;
    const holder = randomBytes(12).toString('hex');
    const hold = (): Hold => ({ holder, heldUntil: now() + holdMs });
    const found = await records.hold(id, hold(), now());
    if (found === null) return null;
    if (!found.isHeld) throw lockedError();
    const held: HeldUpload = {
      upload: found.upload,
      holder,
      progress: async progress => {
        if (!(await records.progress(id, hold(), progress))) throw lockedError();
        Object.assign(held.upload, progress);
      },
      forget: async () => {
        if (!(await records.forget(id, holder))) throw lockedError();
      },
      awaitBytes: isAwaited => {
        worker.awaitedSince = isAwaited ? performance.now() : Number.POSITIVE_INFINITY;
      },
      letBeCut: cutOff => {
        worker.cutOff = cutOff;
        if (worker.isUnwanted) cutOff();
      },
      close: () => {
        worker.isClosing = true;
      },
      [Symbol.asyncDispose]: async () => {
        clearInterval(timer);
        await records.release(id, holder).catch(() => undefined); // the hold expires anyway
        leave();
      },
    };
    const renew = () =>
      records.renew(id, hold()).then(
        isHeld => isHeld || worker.cutOff?.(),
        () => undefined, // the database is away: the next write of progress fails
      );
    const timer = setInterval(renew, renewIntervalMs).unref();
    return held;
  }

  /** Waits for a request of this process that takes no more bytes. */
  async awaitClosing(id: string): Promise<void> {
    const worker = this.#workers.get(id);
    if (worker?.isClosing) await worker.ended;
  }

  /** Stops a request of this process if it has stalled. With `always`, stops any request. */
  async interrupt(id: string, { always }: { always: boolean }): Promise<void> {
    const worker = this.#workers.get(id);
    if (worker === undefined) return;
    if (worker.isClosing) return await worker.ended;
    if (!always && performance.now() - worker.awaitedSince < stalledMs) return;
    worker.isUnwanted = true;
    worker.cutOff?.();
    await worker.ended;
  }

  has(id: string): boolean {
    return this.#workers.has(id);
  }

  async interruptAll(): Promise<void> {
    await Promise.all([...this.#workers.keys()].map(id => this.interrupt(id, { always: true })));
  }
}

function orNull(error: unknown): null {
  if (error instanceof ResumableFailure) return null;
  throw error;
}
