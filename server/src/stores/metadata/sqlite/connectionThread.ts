/** The main thread's end of one connection thread: requests of the same tick travel together, replies find who asked. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../../vocabulary.ts';
import { translateFailure, translateOpeningFailure } from './failures.ts';
import {
  openingId,
  type Statement,
  type StatementResult,
  type ThreadFailure,
  type ThreadOptions,
  type ThreadReply,
  type ThreadRequest,
} from './protocol.ts';

type Asker = { resolve: (results: readonly StatementResult[]) => void; reject: (error: Error) => void };

/** Compiled packages hold `.js` beside this module, the repository `.ts`. */
const threadModule = new URL(`./connectionThread.worker${extname(import.meta.url)}`, import.meta.url);

export class ConnectionThread implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #askers = new Map<number, Asker>();
  readonly #transactionLosers = new Map<number, (error: Error) => void>();
  #outbox: ThreadRequest[] = [];
  #lastId = openingId;
  #lastTransaction = 0;
  #end: Error | null = null;

  private constructor(options: ThreadOptions) {
    this.#worker = new Worker(threadModule, {
      workerData: options,
      name: `sqlite-${options.role}`,
      execArgv: ['--disable-warning=ExperimentalWarning'], // Node.js 24 still calls its SQLite experimental
    });
    this.#worker.on('message', (replies: ThreadReply[]) => this.#deliver(replies));
    this.#worker.on('error', (error: unknown) => this.#endAll(error));
    this.#worker.on('exit', () => this.#endAll(new Error('The thread has ended.')));
  }

  static async open(options: ThreadOptions): Promise<ConnectionThread> {
    const thread = new ConnectionThread(options);
    const opened = Promise.withResolvers<readonly StatementResult[]>();
    thread.#askers.set(openingId, {
      resolve: opened.resolve,
      reject: opened.reject,
    });
    thread.#openingFile = options.file;
    await opened.promise;
    thread.#openingFile = null;
    return thread;
  }

  #openingFile: string | null = null;

  /** Requests that are not answered yet: what a choice between threads goes by. */
  get unansweredCount(): number {
    return this.#askers.size;
  }

  async read(statement: Statement): Promise<StatementResult> {
    return takeOnly(await this.#ask(id => ({ kind: 'read', id, statement })));
  }

  runBatch(statements: readonly Statement[]): Promise<readonly StatementResult[]> {
    return this.#ask(id => ({ kind: 'batch', id, statements }));
  }

  /** Queues a transaction; `lose` hears of it being undone against its owner's will. */
  beginTransaction(timeLimitMs: number, lose: (error: Error) => void): number {
    const transaction = ++this.#lastTransaction;
    this.#transactionLosers.set(transaction, lose);
    this.#post({ kind: 'begin', transaction, timeLimitMs });
    return transaction;
  }

  async runInTransaction(transaction: number, statement: Statement): Promise<StatementResult> {
    return takeOnly(await this.#ask(id => ({ kind: 'query', id, transaction, statement })));
  }

  async endTransaction(transaction: number, commit: boolean): Promise<void> {
    try {
      await this.#ask(id => ({ kind: 'end', id, transaction, commit }));
    } finally {
      this.#transactionLosers.delete(transaction);
    }
  }

  get openTransactionsCount(): number {
    return this.#transactionLosers.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#end !== null) return;
    await this.#ask(id => ({ kind: 'close', id }));
    this.#end = new ServiceError('stopping', 'The service is stopping. Try again shortly.', {
      retryAfterSeconds: 1,
    });
    await this.#worker.terminate();
  }

  #ask(compose: (id: number) => ThreadRequest): Promise<readonly StatementResult[]> {
    if (this.#end !== null) return Promise.reject(this.#end);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#askers.set(id, { resolve, reject });
      this.#post(compose(id));
    });
  }

  /** `nextTick` comes after all that is ready to run has asked, so one message carries it all. */
  #post(request: ThreadRequest): void {
    if (this.#outbox.length === 0) process.nextTick(() => this.#flush());
    this.#outbox.push(request);
  }

  #flush(): void {
    const requests = this.#outbox;
    this.#outbox = [];
    this.#worker.postMessage(requests);
  }

  #deliver(replies: readonly ThreadReply[]): void {
    for (const reply of replies) {
      if ('lostTransaction' in reply) {
        this.#transactionLosers.get(reply.lostTransaction)?.(translateFailure(reply.failure));
        this.#transactionLosers.delete(reply.lostTransaction);
        continue;
      }
      const asker = this.#askers.get(reply.id);
      this.#askers.delete(reply.id);
      if ('failure' in reply) asker?.reject(this.#translate(reply.failure));
      else asker?.resolve(reply.results);
    }
  }

  #translate(failure: ThreadFailure): Error {
    return this.#openingFile === null
      ? translateFailure(failure)
      : translateOpeningFailure(failure, this.#openingFile);
  }

  #endAll(cause: unknown): void {
    this.#end ??= new ServiceError('unavailable', 'The metadata database has stopped. Restart the service.', {
      cause,
    });
    for (const asker of this.#askers.values()) asker.reject(this.#end);
    for (const lose of this.#transactionLosers.values()) lose(this.#end);
    this.#askers.clear();
    this.#transactionLosers.clear();
  }
}

function takeOnly(results: readonly StatementResult[]): StatementResult {
  const [result] = results;
  if (result === undefined) throw new Error('The thread answered nothing.');
  return result;
}
