/**
 * Threads that evaluate queries line by line. They are few, a project gets at most half of them, and each has limits on memory and
 * time. A query that blocks its thread loses it, so no other query waits for it.
 */
import { extname } from 'node:path';
import { Gate } from '@tapedeck/concurrency/gate';
import { AnsweringThread } from '@tapedeck/concurrency/threads';
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

type OpenThread = AnsweringThread<EvaluationMessage, EvaluationReply>;

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
      refuse: overloadedError,
      signal,
    });
    const thread = this.#idle.pop() ?? openThread();
    thread.wake();
    return {
      ask: message => evaluate(thread, message),
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

function openThread(): OpenThread {
  return new AnsweringThread({
    module: threadModule,
    name: 'log evaluation',
    oldSpaceMegabytesMax,
    answerMsMax: portionTimeMsMax,
    tooSlow: tooSlowError,
    tooMuchMemory: tooMuchMemoryError,
  });
}

async function evaluate(thread: OpenThread, message: EvaluationMessage): Promise<EvaluationAnswer> {
  const reply = await thread.ask(message);
  if (reply.kind === 'refused') throw new LogqlMistake(reply.sentence);
  if (reply.kind === 'bug') throw new Error('A query could not be evaluated.', { cause: reply.error });
  return reply;
}

function tooMuchMemoryError(): LogqlMistake {
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

function overloadedError(): LokiFailure {
  return new LokiFailure('overloaded', 'Too many queries are being evaluated at once; try again later.', {
    retryAfterSeconds: 5,
  });
}
