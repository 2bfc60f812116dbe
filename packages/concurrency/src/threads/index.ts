/** A worker thread that answers one message at a time, within limits on memory and time. */
import { Worker } from 'node:worker_threads';

export type ThreadOptions = {
  module: URL;
  name: string;
  oldSpaceMegabytesMax: number;
  /** For one answer. */
  answerMsMax: number;
  /** The error if an answer takes too long. */
  tooSlow(): Error;
  /** The error if the thread runs out of memory. */
  tooMuchMemory(cause: Error): Error;
};

type Waiting<Reply> = { resolve(reply: Reply): void; reject(error: unknown): void };

/** A thread that ended, for whatever reason, is lost. It does not start again, because it may have held state. */
export class AnsweringThread<Message, Reply> {
  readonly #worker: Worker;
  readonly #options: ThreadOptions;
  #waiting: Waiting<Reply> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #forget: (() => void) | null = null;
  isLost = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
    const { module, name, oldSpaceMegabytesMax } = options;
    const resourceLimits = { maxOldGenerationSizeMb: oldSpaceMegabytesMax };
    this.#worker = new Worker(module, { name, resourceLimits });
    this.#worker.unref();
    this.#worker.on('message', (reply: Reply) => this.#finish(waiting => waiting.resolve(reply)));
    this.#worker.on('error', (error: unknown) =>
      this.#lose(isOutOfMemory(error) ? options.tooMuchMemory(error) : error),
    );
    this.#worker.on('exit', () => this.#lose(endedError()));
  }

  /** The caller waits for each answer before it asks again. */
  async ask(message: Message, transferred: readonly ArrayBuffer[] = []): Promise<Reply> {
    if (this.isLost) throw new Error('The thread is lost.');
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    this.#waiting = { resolve, reject };
    this.#timer = setTimeout(() => void this.end(this.#options.tooSlow()), this.#options.answerMsMax);
    this.#worker.postMessage(message, transferred);
    return await promise;
  }

  /** Ends the thread after the time, unless `wake` comes first. Calls `forget` when the thread ends, for whatever reason. */
  idle(ms: number, forget: () => void): void {
    this.#forget = forget;
    this.#timer = setTimeout(() => void this.end(), ms).unref();
  }

  wake(): void {
    this.#forget = null;
    this.#stopTimer();
  }

  /** An unfinished answer rejects with the error. */
  async end(error: Error = endedError()): Promise<void> {
    this.#lose(error);
    await this.#worker.terminate();
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #finish(work: (waiting: Waiting<Reply>) => void): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    this.#stopTimer();
    if (waiting !== null) work(waiting);
  }

  #lose(error: unknown): void {
    this.isLost = true;
    this.#forget?.();
    this.#forget = null;
    this.#finish(waiting => waiting.reject(error));
  }
}

function endedError(): Error {
  return new Error('A thread ended.');
}

function isOutOfMemory(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
