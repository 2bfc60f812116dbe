/** The main thread's side of a connection thread. It sends requests of the same tick together and matches replies to them. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DatabaseFailure } from '../failures.ts';
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

/** The compiled package has `.js` beside this module, the repository `.ts`. */
const threadModule = new URL(`./connectionThread.worker${extname(import.meta.url)}`, import.meta.url);

/** If the thread dies, its pending requests fail. The next request starts a new thread. */
export class ConnectionThread implements AsyncDisposable {
  readonly #options: ThreadOptions;
  readonly #module: URL;
  readonly #askers = new Map<number, Asker>();
  readonly #openTransactions = new Map<number, (error: Error) => void>();
  #worker: Worker | null = null;
  #isOpen = false;
  #outbox: ThreadRequest[] = [];
  #lastId = openingId;
  #lastTransaction = 0;
  /** Why new requests are refused. */
  #refusal: Error | null = null;
  #idle: PromiseWithResolvers<void> | null = null;

  private constructor(options: ThreadOptions, module: URL) {
    this.#options = options;
    this.#module = module;
  }

  static async open(options: ThreadOptions, module = threadModule): Promise<ConnectionThread> {
    const thread = new ConnectionThread(options, module);
    await new Promise((resolve, reject) => {
      thread.#askers.set(openingId, { resolve, reject });
      thread.#start();
    });
    thread.#isOpen = true;
    return thread;
  }

  /** Starts the thread at its first request. Another thread must have opened the file already. */
  static prepare(options: ThreadOptions): ConnectionThread {
    const thread = new ConnectionThread(options, threadModule);
    thread.#isOpen = true;
    return thread;
  }

  /** Requests in progress. Callers use the number to choose a thread and to refuse requests. */
  get unansweredCount(): number {
    return this.#askers.size + this.#openTransactions.size;
  }

  async read(statement: Statement): Promise<StatementResult> {
    this.#refuseNew();
    return requireSingle(await this.#ask(id => ({ kind: 'read', id, statement })));
  }

  async runBatch(statements: readonly Statement[]): Promise<readonly StatementResult[]> {
    this.#refuseNew();
    return await this.#ask(id => ({ kind: 'batch', id, statements }));
  }

  /** Queues a transaction. Calls `lose` if SQLite rolls it back without being asked. */
  beginTransaction(timeLimitMs: number, lose: (error: Error) => void): number {
    this.#refuseNew();
    const transaction = ++this.#lastTransaction;
    this.#openTransactions.set(transaction, lose);
    this.#post({ kind: 'begin', transaction, timeLimitMs });
    return transaction;
  }

  async runInTransaction(transaction: number, statement: Statement): Promise<StatementResult> {
    if (!this.#openTransactions.has(transaction)) throw new Error('The transaction is over.');
    return requireSingle(await this.#ask(id => ({ kind: 'query', id, transaction, statement })));
  }

  async endTransaction(transaction: number, commit: boolean): Promise<void> {
    if (!this.#openTransactions.has(transaction)) throw new Error('The transaction is over.');
    try {
      await this.#ask(id => ({ kind: 'end', id, transaction, commit }));
    } finally {
      this.#openTransactions.delete(transaction);
      this.#resolveIfIdle();
    }
  }

  /** Refuses new requests. Those in progress continue. */
  refuseMore(): void {
    this.#refusal ??= new DatabaseFailure('stopping', 'The service is stopping. Try again shortly.', {
      retryAfterSeconds: 1,
    });
  }

  /** Waits for requests in progress. The transaction time limit bounds the wait. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.refuseMore();
    if (this.unansweredCount > 0) {
      this.#idle = Promise.withResolvers<void>();
      await this.#idle.promise;
    }
    if (this.#worker === null) return;
    await this.#ask(id => ({ kind: 'close', id }));
    await this.#worker?.terminate();
  }

  #refuseNew(): void {
    if (this.#refusal !== null) throw this.#refusal;
  }

  #ask(compose: (id: number) => ThreadRequest): Promise<readonly StatementResult[]> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#askers.set(id, { resolve, reject });
      this.#post(compose(id));
    });
  }

  /** Sends all requests of a tick in one message. `nextTick` runs after all code that is ready has asked. */
  #post(request: ThreadRequest): void {
    if (this.#outbox.length === 0) process.nextTick(() => this.#flush());
    this.#outbox.push(request);
  }

  #flush(): void {
    const requests = this.#outbox;
    this.#outbox = [];
    const worker = this.#worker ?? this.#start();
    worker.postMessage(requests);
  }

  #start(): Worker {
    const worker = new Worker(this.#module, {
      workerData: this.#options,
      name: `sqlite-${this.#options.role}`,
      execArgv: ['--disable-warning=ExperimentalWarning'], // Node.js 24 still calls its SQLite experimental
    });
    let cause: unknown = new Error('The thread has ended.');
    worker.on('message', (replies: ThreadReply[]) => this.#deliver(replies));
    worker.on('error', (error: unknown) => {
      cause = error;
    });
    worker.on('exit', () => this.#loseThread(cause));
    this.#worker = worker;
    return worker;
  }

  #deliver(replies: readonly ThreadReply[]): void {
    for (const reply of replies) {
      if ('lostTransaction' in reply) {
        const lose = this.#openTransactions.get(reply.lostTransaction);
        this.#openTransactions.delete(reply.lostTransaction);
        lose?.(translateFailure(reply.failure));
        continue;
      }
      const asker = this.#askers.get(reply.id);
      this.#askers.delete(reply.id);
      if (!('failure' in reply)) asker?.resolve(reply.results);
      else if (reply.id === openingId) this.#rejectAll(this.#translateOpening(reply.failure), asker);
      else asker?.reject(translateFailure(reply.failure));
    }
    this.#resolveIfIdle();
  }

  /** Names the file only at the first opening. Clients see later failures. */
  #translateOpening(failure: ThreadFailure): Error {
    return this.#isOpen ? translateFailure(failure) : translateOpeningFailure(failure, this.#options.file);
  }

  #loseThread(cause: unknown): void {
    this.#worker = null;
    const sentence = 'The metadata database stopped and is restarting. Try again.';
    const error = new DatabaseFailure('unavailable', sentence, { retryAfterSeconds: 1, cause });
    // A new thread would see a different snapshot than the promised one.
    if (this.#options.role === 'snapshot') this.#refusal ??= error;
    this.#rejectAll(error);
  }

  #rejectAll(error: Error, opener?: Asker): void {
    opener?.reject(error);
    for (const asker of this.#askers.values()) asker.reject(error);
    for (const lose of this.#openTransactions.values()) lose(error);
    this.#askers.clear();
    this.#openTransactions.clear();
    this.#resolveIfIdle();
  }

  #resolveIfIdle(): void {
    if (this.unansweredCount === 0) this.#idle?.resolve();
  }
}

function requireSingle(results: readonly StatementResult[]): StatementResult {
  const [result] = results;
  if (result === undefined) throw new Error('The thread returned nothing.');
  return result;
}
