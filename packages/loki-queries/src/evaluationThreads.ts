/**
 * Threads that evaluate queries line by line. They are few, a project gets at most half of them, and each has limits on memory and
 * time. A query that blocks its thread loses it, so no other query waits for it.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Gate } from '@tapedeck/concurrency/gate';
import { LogqlMistake } from '@tapedeck/logql';
import type { EvaluationAnswer, EvaluationMessage, EvaluationReply } from './evaluationProtocol.ts';
import { LokiFailure } from './failure.ts';

/** The worker is `.js` in compiled packages and `.ts` in the repository. */
const threadModule = new URL(`./evaluation.worker${extname(import.meta.url)}`, import.meta.url);
const threadsMax = 4;
const oldSpaceMegabytesMax = 512;
const portionTimeMsMax = 10_000; // a portion usually takes about ten milliseconds
const waitingTimeMsMax = 30_000; // CONTRACT.md, 4.2
const idleMsMax = 30_000; // then the thread ends and releases its memory

export type EvaluationThread = Disposable & {
  /** Rejects with a `LogqlMistake` if the query is at fault, and with `query_timeout` if it takes too long. */
  ask(message: EvaluationMessage): Promise<EvaluationAnswer>;
};

export type EvaluationThreads = AsyncDisposable & {
  /** Waits for a free thread. */
  enter(project: string, signal: AbortSignal): Promise<EvaluationThread>;
};

export function openEvaluationThreads(): EvaluationThreads {
  return new Threads();
}

class Threads implements EvaluationThreads {
  readonly #gate = new Gate(threadsMax, { leavesRoom: true });
  readonly #idle: OpenThread[] = [];
  #isClosed = false;

  async enter(project: string, signal: AbortSignal): Promise<EvaluationThread> {
    const pass = await this.#gate.enterWithin(project, {
      timeMsMax: waitingTimeMsMax,
      refuse: crowdedError,
      signal,
    });
    const thread = this.#idle.pop() ?? new OpenThread();
    thread.wake();
    return {
      ask: message => thread.ask(message),
      [Symbol.dispose]: () => {
        pass[Symbol.dispose]();
        if (thread.isLost || this.#isClosed) void thread.end();
        else this.#keep(thread);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#idle.splice(0).map(thread => thread.end()));
  }

  #keep(thread: OpenThread): void {
    this.#idle.push(thread);
    thread.idle(idleMsMax, () => {
      const place = this.#idle.indexOf(thread);
      if (place >= 0) this.#idle.splice(place, 1);
    });
  }
}

type Waiting = { resolve(reply: EvaluationReply): void; reject(error: unknown): void };

class OpenThread {
  readonly #worker = new Worker(threadModule, {
    name: 'log evaluation',
    resourceLimits: { maxOldGenerationSizeMb: oldSpaceMegabytesMax },
  });
  #waiting: Waiting | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Takes the thread off the list of idle ones, so that no query gets a lost thread. */
  #forget: (() => void) | null = null;
  isLost = false;

  constructor() {
    this.#worker.unref();
    this.#worker.on('message', (reply: EvaluationReply) => this.#settle(waiting => waiting.resolve(reply)));
    this.#worker.on('error', error => this.#lose(isOutOfMemory(error) ? tooDearError() : error));
    this.#worker.on('exit', () => this.#lose(new Error('A thread ended.')));
  }

  async ask(message: EvaluationMessage): Promise<EvaluationAnswer> {
    if (this.isLost) throw new Error('The thread is lost.');
    const { promise, resolve, reject } = Promise.withResolvers<EvaluationReply>();
    this.#waiting = { resolve, reject };
    this.#timer = setTimeout(() => {
      this.#lose(tooSlowError());
      void this.end();
    }, portionTimeMsMax);
    this.#worker.postMessage(message);
    const reply = await promise;
    if (reply.kind === 'refused') throw new LogqlMistake(reply.sentence);
    if (reply.kind === 'bug') throw new Error('A query could not be evaluated.', { cause: reply.error });
    return reply;
  }

  /** Ends the thread after the time. Calls `forget` when it ends, for whatever reason. */
  idle(ms: number, forget: () => void): void {
    this.#forget = forget;
    this.#timer = setTimeout(() => void this.end(), ms).unref();
  }

  wake(): void {
    this.#forget = null;
    this.#stopTimer();
  }

  async end(): Promise<void> {
    this.#lose(new Error('A thread ended.'));
    await this.#worker.terminate();
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #settle(work: (waiting: Waiting) => void): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    this.#stopTimer();
    if (waiting !== null) work(waiting);
  }

  #lose(error: unknown): void {
    this.isLost = true;
    this.#forget?.();
    this.#forget = null;
    this.#settle(waiting => waiting.reject(error));
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooDearError(): LogqlMistake {
  return new LogqlMistake(
    'the query takes too much memory; select fewer lines, or group them by fewer labels',
  );
}

function tooSlowError(): LokiFailure {
  return new LokiFailure(
    'query_timeout',
    'The query takes too long. Select fewer lines, or leave out the slowest stage.',
  );
}

function crowdedError(): LokiFailure {
  return new LokiFailure('overloaded', 'Too many queries are being evaluated at once; try again later.', {
    retryAfterSeconds: 5,
  });
}
