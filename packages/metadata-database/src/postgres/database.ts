/** The PostgreSQL database: transactions with a time limit and retries, and Kysely bound to the pool. */
import { setTimeout as wait } from 'node:timers/promises';
import {
  type Compilable,
  type DatabaseConnection,
  type Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { BatchQuery, Database, Snapshot, TransactionOptions } from '../database.ts';
import type { PostgresPlace } from '../databaseUrl.ts';
import { BatchRefused, DatabaseFailure } from '../failures.ts';
import { type ChosenLimits, databaseLimits } from '../limits.ts';
import { bindComposing, bindQueries, type DialectWords, readingOnly, refuseNul } from '../queries.ts';
import { requireWriting, watchRoom } from './changes.ts';
import { TransactionLost } from './failures.ts';
import { type Connections, openPool } from './pool.ts';
import { compileGuarded, readGuarded } from './rowGuards.ts';
import { openSession, type Session } from './session.ts';

const attemptsMax = 5; // conflicts are rare and seldom repeat
const retryMsMin = 10; // doubles with each attempt, plus a random part so that rivals don't collide again

const words: DialectWords = {
  // Kysely uses the dialect only for its introspector, which needs no connection here.
  dialect: new PostgresDialect({ pool: () => Promise.reject(new Error('Queries run in sessions.')) }),
  compiler: new PostgresQueryCompiler(),
  adapter: new PostgresAdapter(),
};

const begin = 'begin isolation level read committed';
const beginView = 'begin isolation level repeatable read read only';

const readMsMax = 16_000; // the server ends a query after 15 s; if it says nothing even then, it is gone or frozen

class ReadUnanswered extends DatabaseFailure {
  constructor() {
    super('unavailable', 'The metadata database does not answer. Try again shortly.', {
      retryAfterSeconds: 1,
    });
  }
}

class TransactionExpired extends DatabaseFailure {
  constructor() {
    super('unavailable', 'The change took too long and was undone. Try again.', { retryAfterSeconds: 1 });
  }
}

export async function openPostgresDatabase<Schema>(
  place: PostgresPlace,
  limits: ChosenLimits,
): Promise<Database<Schema>> {
  const connections = await openPool(place, limits);
  const composing = bindComposing<Schema>(words);
  const timeLimitMs = limits.transactionMsMax ?? databaseLimits.transactionMsMax;
  const room = watchRoom();
  const transact = <T>(work: Work<T>, given: TransactionOptions = {}) =>
    room.watch(
      repeatWhenLost(given.attemptsMax ?? attemptsMax, () =>
        runAttempt(connections, work, given.timeLimitMs ?? timeLimitMs),
      ),
    );
  return {
    dialect: 'postgres',
    reading: bindQueries(
      words,
      { provideConnection: use => readOnce(connections, session => readAlone(session, use)) },
      [readingOnly],
    ),
    transact: (work, given) => transact(session => work(bindSession(session)), given),
    transactBatch: compose =>
      transact((session, commit) => runBatch(session, compose(composing), { commit, timeLimitMs })),
    readTogether: compose => readOnce(connections, session => readView(session, compose(composing))),
    openSnapshot: () => openSnapshot(connections),
    requireChanges: async () => {
      await readOnce(connections, requireWriting);
      room.require();
    },
    [Symbol.asyncDispose]: () => connections.pool.end(),
  };
}

/** Runs a single query. If the session keeps no settings, a transaction sets them in the same round trip. */
async function readAlone<T>(
  session: Session,
  use: (connection: DatabaseConnection) => Promise<T>,
): Promise<T> {
  if (session.transactionSettings === '') return await use(session.connection);
  const begun = session.run(join(begin, session.transactionSettings));
  const used = use(session.connection);
  const ended = session.run('commit'); // rolls back if a query failed
  const [, outcome] = await Promise.allSettled([begun, used, ended]);
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

function join(...statements: readonly string[]): string {
  return statements.filter(statement => statement !== '').join('; ');
}

function bindSession<Schema>(session: Session): Kysely<Schema> {
  return bindQueries(words, { provideConnection: use => use(session.connection) });
}

async function readOnce<T>(connections: Connections, work: (session: Session) => Promise<T>): Promise<T> {
  return await repeatWhenLost(attemptsMax, async () => {
    const session = await openSession(connections);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new ReadUnanswered()), readMsMax);
    try {
      return await Promise.race([work(session), late.promise]);
    } catch (error) {
      if (error instanceof ReadUnanswered) session.release({ broken: true });
      throw error;
    } finally {
      clearTimeout(timer);
      session.release();
    }
  });
}

async function repeatWhenLost<T>(attempts: number, run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof TransactionLost)) throw error;
      if (attempt >= attempts) {
        throw new DatabaseFailure('unavailable', 'Too many changes at once. Try again.', {
          retryAfterSeconds: 1,
          cause: error,
        });
      }
      await wait(retryMsMin * 2 ** attempt * (0.5 + Math.random()));
    }
  }
}

/** Work that knows its last query can send the commit along with it. */
type Work<T> = (session: Session, commit: () => Promise<void>) => Promise<T>;

async function runAttempt<T>(connections: Connections, work: Work<T>, timeLimitMs: number): Promise<T> {
  const session = await openSession(connections);
  let ended: Promise<void> | null = null;
  const commit = () => {
    ended ??= session.run('commit');
    return ended;
  };
  const expired = Promise.withResolvers<never>();
  const timer = setTimeout(() => expired.reject(new TransactionExpired()), timeLimitMs);
  try {
    const begun = session.run(join(begin, session.transactionSettings, composeLimits(timeLimitMs)));
    begun.catch(() => undefined); // awaited below, after the queries that are sent with it
    const result = await Promise.race([work(session, commit), expired.promise]);
    await begun;
    const failure = session.failure();
    if (failure !== null) throw failure;
    await Promise.race([commit(), expired.promise]);
    session.release();
    return result;
  } catch (error) {
    await leave(session, error);
    throw session.failure() instanceof TransactionLost ? session.failure() : error;
  } finally {
    clearTimeout(timer);
  }
}

/** Raises the limits for long work, which holds locks and runs statements for as long. */
function composeLimits(timeLimitMs: number): string {
  if (timeLimitMs <= databaseLimits.transactionMsMax) return '';
  return `set local statement_timeout = ${timeLimitMs}; set local lock_timeout = ${timeLimitMs}`;
}

/** Ends an open transaction. If the connection's state is unknown, closes it; the server then rolls back. */
async function leave(session: Session, error: unknown): Promise<void> {
  if (error instanceof TransactionExpired) {
    session.release({ broken: true });
    return;
  }
  try {
    await session.run('rollback');
    session.release();
  } catch {
    session.release({ broken: true });
  }
}

type BatchEnd = { commit: () => Promise<void>; timeLimitMs: number };

/**
 * Sends all queries and the commit together, so that a stalled process holds no locks.
 * PostgreSQL rolls back if any query of the transaction failed. A query fails there if it touches too few rows or waits too long for a lock.
 * The client refuses invalid queries before it sends anything.
 * Queries that return rows and also need a minimum of touched rows are checked here, before the commit.
 */
async function runBatch(
  session: Session,
  batch: readonly BatchQuery[],
  { commit, timeLimitMs }: BatchEnd,
): Promise<QueryResult<unknown>[]> {
  const guarded = batch.map(compileGuarded);
  for (const { query } of guarded) refuseNul(query.parameters);
  const isSure = batch.every(({ rowsMin }, index) => rowsMin === undefined || guarded[index]?.isGuarded);
  if (isSure) session.run(`set local lock_timeout = ${timeLimitMs}`).catch(() => undefined); // the session remembers a failure
  const running = guarded.map(({ query, isGuarded }, index) => {
    const answer = session.connection.executeQuery(query);
    return isGuarded ? readGuarded(answer, index) : answer;
  });
  if (isSure) commit().catch(() => undefined); // awaited after the queries
  // Checks in order: later queries only fail because an earlier one did.
  const outcomes = await Promise.allSettled(running);
  const results = outcomes.map(outcome => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
  for (const [index, { rowsMin }] of batch.entries()) {
    if (guarded[index]?.isGuarded) continue;
    if ((results[index]?.numAffectedRows ?? 0n) < (rowsMin ?? 0)) throw new BatchRefused(index);
  }
  return results;
}

/** Sends all queries together, in one round trip. */
async function readView(session: Session, queries: readonly Compilable<unknown>[]): Promise<unknown[][]> {
  const begun = session.run(join(beginView, session.transactionSettings));
  const running = queries.map(query => session.connection.executeQuery(query.compile()));
  const ended = session.run('commit');
  await Promise.allSettled([begun, ...running, ended]);
  const failure = session.failure();
  if (failure !== null) throw failure;
  return (await Promise.all(running)).map(result => result.rows);
}

async function openSnapshot<Schema>(connections: Connections): Promise<Snapshot<Schema>> {
  const session = await openSession(connections);
  try {
    // A backup may pause between two pages.
    await session.run(
      join(
        beginView,
        session.transactionSettings,
        `set local idle_in_transaction_session_timeout = ${databaseLimits.importMsMax}`,
      ),
    );
    await session.run('select 1'); // the first query takes the snapshot, not `begin`
  } catch (error) {
    session.release({ broken: true });
    throw error;
  }
  return {
    queries: bindSession(session),
    [Symbol.asyncDispose]: async () => {
      await leave(session, null);
    },
  };
}
