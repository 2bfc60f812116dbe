/**
 * Orders transactions on the single writing connection, and lets them share commits. Runs in the connection's thread.
 *
 * Transactions run one after another, in order of arrival. If others wait when one ends, it joins the open group. A single COMMIT, with one
 * disk sync, acknowledges the whole group. It guarantees:
 * - Nothing is acknowledged before its COMMIT has returned.
 * - A failed transaction doesn't undo others of its group, unless SQLite rolled back the whole group.
 * - No transaction holds the connection longer than the time limit.
 */
import { type Connection, describeFailure } from './connection.ts';
import type { StatementResult, ThreadFailure, ThreadReply, ThreadRequest } from './protocol.ts';

const groupTransactionsMax = 256; // bounds what a failed COMMIT rolls back
const groupMsMin = 5; // the first of a group waits at most this long, or as long as the last sync took,
const groupMsMax = 50; // so that a slow disk is busy half of the time and never delays a caller for long

type QueuedRequest = Extract<ThreadRequest, { kind: 'begin' | 'query' | 'end' | 'batch' }>;

type QueuedTransaction = {
  /** null for a batch. */
  number: number | null;
  timeLimitMs: number;
  requests: QueuedRequest[];
  failure: ThreadFailure | null;
  hasSavepoint: boolean;
};

type Acknowledgement = { id: number; results: readonly StatementResult[] };

type Group = { startedAt: number; acknowledgements: Acknowledgement[] };

type TransactionQueueDeps = {
  connection: Connection;
  reply: (reply: ThreadReply) => void;
  /** Returns the requests that have arrived, without waiting. */
  takeArrived: () => readonly ThreadRequest[];
  /** Sends the replies made so far. */
  flush: () => void;
  /** Milliseconds from any fixed origin. */
  now: () => number;
};

export class TransactionQueue {
  readonly #deps: TransactionQueueDeps;
  readonly #waiting: QueuedTransaction[] = [];
  readonly #interactive = new Map<number, QueuedTransaction>();
  #current: QueuedTransaction | null = null;
  #group: Group | null = null;
  #timer: NodeJS.Timeout | null = null;
  #lastCommitMs = 0;

  constructor(deps: TransactionQueueDeps) {
    this.#deps = deps;
  }

  receive(requests: readonly ThreadRequest[]): void {
    this.#enqueue(requests);
    this.#advance();
    this.#deps.flush();
  }

  #enqueue(requests: readonly ThreadRequest[]): void {
    for (const request of requests) {
      if (request.kind === 'batch') {
        this.#waiting.push(buildTransaction(null, Number.POSITIVE_INFINITY, [request]));
      } else if (request.kind === 'begin') {
        const transaction = buildTransaction(request.transaction, request.timeLimitMs, []);
        this.#interactive.set(request.transaction, transaction);
        this.#waiting.push(transaction);
      } else if (request.kind === 'query' || request.kind === 'end') {
        const transaction = this.#interactive.get(request.transaction);
        if (transaction === undefined) this.#fail(request.id, transactionOver);
        else transaction.requests.push(request);
      }
    }
  }

  /** Runs until the current transaction waits for its owner, or the queue is empty. */
  #advance(): void {
    for (;;) {
      const current = this.#current ?? this.#startNext();
      if (current === null) return;
      if (!this.#runRequests(current)) {
        this.#timer ??= setTimeout(() => this.#expire(current), current.timeLimitMs);
        return;
      }
      this.#leave(current);
    }
  }

  #startNext(): QueuedTransaction | null {
    if (this.#waiting.length === 0) this.#enqueue(this.#deps.takeArrived());
    const group = this.#group;
    if (group !== null && (this.#waiting.length === 0 || this.#isFull(group))) this.#commitGroup(group);
    const next = this.#waiting.shift();
    if (next === undefined) return null;
    try {
      if (this.#group === null) {
        this.#deps.connection.execute('BEGIN IMMEDIATE');
        this.#group = { startedAt: this.#deps.now(), acknowledgements: [] };
      } else {
        this.#deps.connection.execute('SAVEPOINT member');
        next.hasSavepoint = true;
      }
    } catch (error) {
      // Another process held the file for the whole lock timeout. The other transactions have waited as long.
      for (const transaction of [next, ...this.#waiting.splice(0)])
        this.#abandon(transaction, describeFailure(error));
      if (this.#group !== null) this.#commitGroup(this.#group);
      return null;
    }
    this.#current = next;
    return next;
  }

  /** Returns true once the transaction has ended. */
  #runRequests(transaction: QueuedTransaction): boolean {
    for (const request of transaction.requests.splice(0)) {
      if (request.kind === 'query') this.#runQuery(transaction, request);
      else if (request.kind === 'batch') return this.#runBatch(transaction, request);
      else if (request.kind === 'end') {
        this.#end(transaction, request.id, { commit: request.commit, results: [] });
        return true;
      }
    }
    return false;
  }

  #runQuery(transaction: QueuedTransaction, request: Extract<ThreadRequest, { kind: 'query' }>): void {
    if (transaction.failure !== null) {
      this.#fail(request.id, transaction.failure);
      return;
    }
    try {
      this.#deps.reply({ id: request.id, results: [this.#deps.connection.run(request.statement)] });
    } catch (error) {
      transaction.failure = describeFailure(error);
      this.#fail(request.id, transaction.failure);
    }
  }

  #runBatch(transaction: QueuedTransaction, request: Extract<ThreadRequest, { kind: 'batch' }>): boolean {
    const results: StatementResult[] = [];
    for (const [index, statement] of request.statements.entries()) {
      try {
        const result = this.#deps.connection.run(statement);
        results.push(result);
        if (result.rowsChanged < (statement.rowsMin ?? 0)) {
          transaction.failure = { message: 'Too few rows.', sqliteCode: null, refusedIndex: index };
        }
      } catch (error) {
        transaction.failure = describeFailure(error);
      }
      if (transaction.failure !== null) break;
    }
    this.#end(transaction, request.id, { commit: true, results });
    return true;
  }

  #end(
    transaction: QueuedTransaction,
    id: number,
    outcome: { commit: boolean; results: StatementResult[] },
  ): void {
    const { connection } = this.#deps;
    const group = this.#group;
    if (group === null || !connection.isInTransaction()) {
      this.#fail(id, transaction.failure ?? transactionOver);
      this.#loseGroup(transaction.failure ?? transactionOver);
    } else if (outcome.commit && transaction.failure === null) {
      if (transaction.hasSavepoint) connection.execute('RELEASE member');
      group.acknowledgements.push({ id, results: outcome.results });
    } else {
      this.#undo(transaction);
      if (outcome.commit && transaction.failure !== null) this.#fail(id, transaction.failure);
      else this.#deps.reply({ id, results: [] });
    }
  }

  #undo(transaction: QueuedTransaction): void {
    const { connection } = this.#deps;
    if (transaction.hasSavepoint) {
      connection.execute('ROLLBACK TO member');
      connection.execute('RELEASE member');
    } else {
      connection.execute('ROLLBACK');
      this.#group = null;
    }
  }

  #isFull(group: Group): boolean {
    if (group.acknowledgements.length >= groupTransactionsMax) return true;
    const groupMs = Math.min(Math.max(groupMsMin, this.#lastCommitMs), groupMsMax);
    return this.#deps.now() - group.startedAt >= groupMs;
  }

  #leave(transaction: QueuedTransaction): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#current = null;
    if (transaction.number !== null) this.#interactive.delete(transaction.number);
  }

  #expire(transaction: QueuedTransaction): void {
    if (this.#deps.connection.isInTransaction()) this.#undo(transaction);
    else this.#loseGroup(transactionOver);
    this.#abandon(transaction, transactionExpired);
    this.#leave(transaction);
    this.#advance();
    this.#deps.flush();
  }

  #commitGroup(group: Group): void {
    const startedAt = this.#deps.now();
    try {
      this.#deps.connection.execute('COMMIT');
      this.#lastCommitMs = this.#deps.now() - startedAt;
    } catch (error) {
      if (this.#deps.connection.isInTransaction()) this.#deps.connection.execute('ROLLBACK');
      this.#loseGroup(describeFailure(error));
      return;
    }
    this.#group = null;
    for (const acknowledgement of group.acknowledgements) this.#deps.reply(acknowledgement);
    this.#deps.flush();
  }

  /** Fails the whole group after SQLite rolled it back. None of it was acknowledged yet. */
  #loseGroup(failure: ThreadFailure): void {
    const lost = this.#group?.acknowledgements ?? [];
    this.#group = null;
    for (const { id } of lost) this.#fail(id, failure);
  }

  #abandon(transaction: QueuedTransaction, failure: ThreadFailure): void {
    for (const request of transaction.requests) if (request.kind !== 'begin') this.#fail(request.id, failure);
    if (transaction.number === null) return;
    this.#interactive.delete(transaction.number);
    this.#deps.reply({ lostTransaction: transaction.number, failure });
  }

  #fail(id: number, failure: ThreadFailure): void {
    this.#deps.reply({ id, failure });
  }
}

/** The reply to requests that arrive after their transaction ended. */
const transactionOver: ThreadFailure = { message: 'The transaction is over.', sqliteCode: null };

const transactionExpired: ThreadFailure = { message: 'Too slow.', sqliteCode: null, isExpired: true };

function buildTransaction(
  number: number | null,
  timeLimitMs: number,
  requests: QueuedRequest[],
): QueuedTransaction {
  return { number, timeLimitMs, requests, failure: null, hasSavepoint: false };
}
