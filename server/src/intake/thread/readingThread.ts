/** Reads bodies in a thread, one at a time. Waiting projects take turns, and the thread exists only while it has work. */
import { extname } from 'node:path';
import { Gate } from '@tapedeck/concurrency/gate';
import { AnsweringThread } from '@tapedeck/concurrency/threads';
import { ServiceError } from '@tapedeck/domain/vocabulary';
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

export function openReadingThread(): ReadingThread & AsyncDisposable {
  return new OpenedThread();
}

class OpenedThread implements ReadingThread, AsyncDisposable {
  readonly #gate = new Gate(1);
  readonly #closing = new AbortController();
  readonly #waitingBytesOf = new Map<string, number>();
  #waitingBytes = 0;
  #thread: AnsweringThread<ReadingTask, ReadingReply> | null = null;

  async read({ project, body, module, options, rules }: ReadingRequest): Promise<ReadAside> {
    using _pass = await this.#enter(project, body.length);
    const copy = new Uint8Array(body);
    return readReply(await this.#ask({ module, options, rules, body: copy }, copy.buffer));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const error = overloadedError();
    this.#closing.abort(error);
    await this.#thread?.end(error);
  }

  /** A project may use half of the memory, so that some is always left for others. */
  async #enter(project: string, bytes: number): Promise<Disposable> {
    const own = this.#waitingBytesOf.get(project) ?? 0;
    if (own + bytes > waitingBytesMax / 2 || this.#waitingBytes + bytes > waitingBytesMax)
      throw overloadedError();
    this.#addWaiting(project, bytes);
    try {
      return await this.#gate.enter(project, this.#closing.signal);
    } finally {
      this.#addWaiting(project, -bytes);
    }
  }

  #addWaiting(project: string, bytes: number): void {
    const own = (this.#waitingBytesOf.get(project) ?? 0) + bytes;
    if (own > 0) this.#waitingBytesOf.set(project, own);
    else this.#waitingBytesOf.delete(project);
    this.#waitingBytes += bytes;
  }

  async #ask(task: ReadingTask, transferred: ArrayBuffer): Promise<ReadingReply> {
    this.#thread ??= openThread();
    const thread = this.#thread;
    thread.wake();
    try {
      return await thread.ask(task, [transferred]);
    } finally {
      if (thread.isLost) this.#thread = null;
      else thread.idle(idleMsMax, () => (this.#thread = null));
    }
  }
}

function openThread(): AnsweringThread<ReadingTask, ReadingReply> {
  return new AnsweringThread({
    module: threadModule,
    name: 'log bodies',
    oldSpaceMegabytesMax,
    answerMsMax: readTimeMsMax,
    tooSlow: overloadedError,
    tooMuchMemory: tooMuchMemoryError,
  });
}

function readReply(reply: ReadingReply): ReadAside {
  if ('read' in reply) return reply.read;
  if ('bug' in reply) throw new Error('A body could not be read.', { cause: reply.bug });
  const { code, sentence, properties } = reply.refusal;
  throw Object.assign(new ServiceError(code, sentence), properties);
}

function tooMuchMemoryError(cause: unknown): ServiceError {
  const sentence = 'The values in the body take too much memory; send them in parts.';
  return new ServiceError('body_too_large', sentence, { cause });
}

function overloadedError(): ServiceError {
  return new ServiceError(
    'overloaded',
    'Too many large bodies are being read at once; send it again later.',
    {
      retryAfterSeconds,
    },
  );
}
