/** Reads bodies in a thread, one at a time. Waiting projects take turns, and the thread exists only while it has work. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../vocabulary.ts';
import type { ReadAside, ReadingReply, ReadingTask } from './protocol.ts';

/** Compiled packages hold `.js` beside this module, the repository `.ts`. */
const threadModule = new URL(`./readingThread.worker${extname(import.meta.url)}`, import.meta.url);
const waitingBytesMax = 64 * 1024 ** 2;
const readTimeMsMax = 60_000; // for one body: the slowest take two seconds on an idle processor
const idleMsMax = 10_000; // then its memory is freed
const oldSpaceMegabytesMax = 512; // ten megabytes of brackets take half of it
const retryAfterSeconds = 2;

/** A body to read. It gets copied. */
type ReadingRequest = Omit<ReadingTask, 'body'> & {
  /** The project of the body. Projects take turns. */
  project: string;
  body: Buffer;
};

export interface ReadingThread {
  /**
   * Resolves to the rows of the body. Rejects with the same error as a check in the main thread, or with `overloaded` if too much is waiting or
   * the body takes too long.
   */
  read(request: ReadingRequest): Promise<ReadAside>;
}

type Waiting = { request: ReadingRequest; resolve(read: ReadAside): void; reject(error: Error): void };
/** The requests of one project. */
type Line = { waiting: Waiting[]; bytes: number };

export function openReadingThread(): ReadingThread & AsyncDisposable {
  return new OpenedThread();
}

class OpenedThread implements ReadingThread, AsyncDisposable {
  /** Lines by project, in the order of their turns. */
  readonly #lines = new Map<string, Line>();
  #waitingBytes = 0;
  #current: Waiting | null = null;
  #worker: Worker | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  async read(request: ReadingRequest): Promise<ReadAside> {
    const { length } = request.body;
    const line = this.#lines.get(request.project) ?? { waiting: [], bytes: 0 };
    // A project may use half of the memory, so that some is always left for others.
    const hasCapacity =
      line.bytes + length <= waitingBytesMax / 2 && this.#waitingBytes + length <= waitingBytesMax;
    if (this.#isClosed || !hasCapacity) throw crowdedError();
    const { promise, resolve, reject } = Promise.withResolvers<ReadAside>();
    line.waiting.push({ request, resolve, reject });
    line.bytes += length;
    this.#waitingBytes += length;
    this.#lines.set(request.project, line);
    this.#goOn();
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const waiting of this.#takeAll()) waiting.reject(crowdedError());
    await this.#endThread();
  }

  #goOn(): void {
    if (this.#current !== null) return;
    const next = this.#takeNext();
    if (next === null) {
      this.#setTimer(idleMsMax, () => void this.#endThread());
      return;
    }
    this.#current = next;
    const { module, options, rules } = next.request;
    const body = new Uint8Array(next.request.body);
    this.#setTimer(readTimeMsMax, () => this.#giveUp(crowdedError()));
    this.#worker ??= this.#startThread();
    this.#worker.postMessage({ module, options, rules, body } satisfies ReadingTask, [body.buffer]);
  }

  /** Returns the first request of the next project. Its others wait until all other projects had their turn. */
  #takeNext(): Waiting | null {
    for (const [project, line] of this.#lines) {
      this.#lines.delete(project);
      const next = line.waiting.shift();
      if (next === undefined) continue;
      const { length } = next.request.body;
      line.bytes -= length;
      this.#waitingBytes -= length;
      if (line.waiting.length > 0) this.#lines.set(project, line);
      return next;
    }
    return null;
  }

  #takeAll(): Waiting[] {
    const all = [...this.#lines.values()].flatMap(({ waiting }) => waiting);
    if (this.#current !== null) all.push(this.#current);
    this.#lines.clear();
    this.#waitingBytes = 0;
    this.#current = null;
    return all;
  }

  #startThread(): Worker {
    const worker = new Worker(threadModule, {
      name: 'log bodies',
      resourceLimits: { maxOldGenerationSizeMb: oldSpaceMegabytesMax },
    });
    worker.on('message', (reply: ReadingReply) => this.#deliver(reply));
    worker.on('error', (error: unknown) => this.#loseThread(worker, error));
    worker.on('exit', () => this.#loseThread(worker, new Error('The thread ended.')));
    return worker;
  }

  #deliver(reply: ReadingReply): void {
    const current = this.#current;
    this.#current = null;
    if (current !== null) finish(current, reply);
    this.#goOn();
  }

  #loseThread(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#giveUp(
      isOutOfMemory(error) ? tooDearError(error) : new Error('A thread was lost.', { cause: error }),
    );
  }

  /** Ends the thread. The next body starts a new one. */
  #giveUp(error: Error): void {
    const current = this.#current;
    this.#current = null;
    void this.#endThread();
    current?.reject(error);
    this.#goOn();
  }

  async #endThread(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await worker?.terminate();
  }

  #setTimer(ms: number, work: () => void): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(work, ms).unref();
  }
}

function finish({ resolve, reject }: Waiting, reply: ReadingReply): void {
  if ('read' in reply) resolve(reply.read);
  else if ('bug' in reply) reject(new Error('A body could not be read.', { cause: reply.bug }));
  else {
    const { code, sentence, properties } = reply.refusal;
    reject(Object.assign(new ServiceError(code, sentence), properties));
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooDearError(cause: unknown): ServiceError {
  const sentence = 'The values in the body take too much memory; send them in parts.';
  return new ServiceError('body_too_large', sentence, { cause });
}

function crowdedError(): ServiceError {
  return new ServiceError(
    'overloaded',
    'Too many large bodies are being read at once; send it again later.',
    {
      retryAfterSeconds,
    },
  );
}
