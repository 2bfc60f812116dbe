/** Collects unacknowledged messages for a moment, stores them together, and retries while the store is away. */
import { setTimeout as wait } from 'node:timers/promises';
import { errorStatuses, isExpected } from '@tapedeck/domain/vocabulary';
import type { SyslogMessage } from '@tapedeck/log-protocols';

const gatherMs = 100; // within the one second for storing them: CONTRACT.md, 16.3
const batchBytesMax = 512 * 1024; // read in some milliseconds
const waitingBytesMax = 16 * 1024 ** 2; // including the overhead of each message
const messageBytes = 128; // memory of each message besides its bytes
const retryMs = 1000;
const stopTriesMax = 5;

type BatchesOptions = {
  /** Resolves once the messages are stored. */
  store(messages: readonly SyslogMessage[]): Promise<void>;
  /** Reports why messages were lost, and how many. */
  report(error: unknown, lost: number): void;
};

export class MessageBatches implements AsyncDisposable {
  readonly #options: BatchesOptions;
  #waiting: SyslogMessage[] = [];
  #bytes = 0;
  #running: Promise<void> | null = null;
  #room: PromiseWithResolvers<void> | null = null;
  readonly #stopping = new AbortController();

  constructor(options: BatchesOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#bytes >= waitingBytesMax;
  }

  /** Callers that can wait check `isFull` first. */
  add(message: SyslogMessage): void {
    this.#waiting.push(message);
    this.#bytes += message.bytes.length + messageBytes;
    this.#running ??= this.#run();
  }

  /** Resolves once there is room for more. */
  async awaitRoom(): Promise<void> {
    if (!this.isFull) return;
    this.#room ??= Promise.withResolvers<void>();
    await this.#room.promise;
  }

  /** Stores the waiting messages. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    await wait(gatherMs, undefined, { signal: this.#stopping.signal }).catch(() => {}); // disposal cuts the wait short
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      await this.#storeBatch(batch);
      for (const { bytes } of batch) this.#bytes -= bytes.length + messageBytes;
      if (!this.isFull) {
        this.#room?.resolve();
        this.#room = null;
      }
    }
    this.#running = null;
  }

  #takeBatch(): SyslogMessage[] {
    let bytes = 0;
    let count = 0;
    for (const message of this.#waiting) {
      bytes += message.bytes.length + messageBytes;
      if (count > 0 && bytes > batchBytesMax) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  /** Retries temporary failures until they pass, but only a few times while the service stops. */
  async #storeBatch(batch: readonly SyslogMessage[]): Promise<void> {
    for (let stopTries = 0; ; ) {
      try {
        await this.#options.store(batch);
        return;
      } catch (error) {
        if (!mayPass(error) || stopTries === stopTriesMax) {
          this.#options.report(error, batch.length);
          return;
        }
        if (this.#stopping.signal.aborted) stopTries++;
        await wait(retryMs);
      }
    }
  }
}

/** Returns whether a later try may succeed, because the store is away or full and the message is fine. */
export function mayPass(error: unknown): boolean {
  if (!isExpected(error)) return false;
  const status = errorStatuses[error.code];
  return status >= 500 || status === 429;
}
