/** Tests the order of transactions on one connection, and the commits they share. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { type Connection, openConnection } from './connection.ts';
import type { Statement, ThreadReply, ThreadRequest } from './protocol.ts';
import { TransactionQueue } from './transactionQueue.ts';

type Bench = Disposable & {
  queue: TransactionQueue;
  /** Replies by id; lost transactions by `lost` and their number. */
  outcomes: Map<number | string, 'done' | 'failed'>;
  commits: () => number;
  readKeys: () => number[];
  file: string;
  /** Resolves at the next flush that adds to `outcomes`. */
  nextFlush: () => Promise<void>;
};

function openBench(lockWaitMsMax = 50): Bench {
  const directory = mkdtempSync(join(tmpdir(), 'tapedeck-queue-'));
  const file = join(directory, 'queue.db');
  const connection = openConnection({ file, role: 'writer', lockWaitMsMax });
  connection.execute('CREATE TABLE kept (key INTEGER PRIMARY KEY) STRICT');
  let commits = 0;
  const counting: Connection = {
    ...connection,
    execute: sql => {
      if (sql === 'COMMIT') commits += 1;
      connection.execute(sql);
    },
  };
  const outcomes: Bench['outcomes'] = new Map();
  let flushed = Promise.withResolvers<void>();
  const reply = (sent: ThreadReply) => {
    if ('lostTransaction' in sent) outcomes.set(`lost ${sent.lostTransaction}`, 'failed');
    else outcomes.set(sent.id, 'failure' in sent ? 'failed' : 'done');
  };
  const flush = () => {
    flushed.resolve();
    flushed = Promise.withResolvers<void>();
  };
  return {
    queue: new TransactionQueue({ connection: counting, reply, takeArrived: () => [], flush, now: () => 0 }),
    outcomes,
    commits: () => commits,
    readKeys: () =>
      connection
        .run({ sql: 'SELECT key FROM kept ORDER BY key', parameters: [] })
        .rows.map(([key]) => Number(key)),
    file,
    nextFlush: () => flushed.promise,
    [Symbol.dispose]: () => {
      connection.close();
      rmSync(directory, { recursive: true });
    },
  };
}

const keep = (key: number): Statement => ({ sql: 'INSERT INTO kept VALUES (?)', parameters: [key] });
/** A conflict that makes SQLite roll back the whole transaction, as a full disk may. */
const keepOrUndoAll = (key: number): Statement => ({
  sql: 'INSERT OR ROLLBACK INTO kept VALUES (?)',
  parameters: [key],
});

const batch = (id: number, ...statements: Statement[]): ThreadRequest => ({ kind: 'batch', id, statements });
const begin = (transaction: number, timeLimitMs = 1000): ThreadRequest => ({
  kind: 'begin',
  transaction,
  timeLimitMs,
});
const query = (id: number, transaction: number, statement: Statement): ThreadRequest => ({
  kind: 'query',
  id,
  transaction,
  statement,
});
const end = (id: number, transaction: number, commit = true): ThreadRequest => ({
  kind: 'end',
  id,
  transaction,
  commit,
});

it('transactions that wait together share one commit', () => {
  using bench = openBench();
  bench.queue.receive([
    batch(1, keep(1)),
    begin(9),
    query(2, 9, keep(2)),
    end(3, 9),
    batch(4, keep(4), keep(5)),
  ]);
  assert.deepEqual(
    [...bench.outcomes],
    [
      [2, 'done'],
      [1, 'done'],
      [3, 'done'],
      [4, 'done'],
    ],
  );
  assert.deepEqual([bench.commits(), bench.readKeys()], [1, [1, 2, 4, 5]]);
});

it('acknowledges nothing while its group is open', () => {
  using bench = openBench();
  bench.queue.receive([batch(1, keep(1)), begin(9), query(2, 9, keep(2)), batch(3, keep(3))]);
  assert.deepEqual([...bench.outcomes], [[2, 'done']]);
  bench.queue.receive([end(4, 9)]);
  assert.deepEqual([...bench.outcomes.keys()], [2, 1, 4, 3]);
});

it('limits a group to 256 transactions', () => {
  using bench = openBench();
  bench.queue.receive(Array.from({ length: 600 }, (_, index) => batch(index, keep(index))));
  assert.equal(bench.readKeys().length, 600);
  assert.ok(bench.commits() >= 3);
});

it('undoes failing and abandoned members alone', () => {
  using bench = openBench();
  bench.queue.receive([
    batch(1, keep(1)),
    batch(2, keep(2), keep(1)),
    begin(8),
    query(3, 8, keep(3)),
    end(4, 8, false),
    batch(5, { ...keep(5), rowsMin: 2 }),
    begin(9),
    query(6, 9, keep(1)),
    query(7, 9, keep(7)),
    end(8, 9),
    batch(10, keep(10)),
  ]);
  const failed = [...bench.outcomes].filter(([, outcome]) => outcome === 'failed').map(([id]) => id);
  assert.deepEqual(failed, [2, 5, 6, 7, 8]);
  assert.deepEqual(bench.readKeys(), [1, 10]);
});

it('acknowledges no member of a group that SQLite undoes, and continues with the next group', () => {
  using bench = openBench();
  bench.queue.receive([
    batch(1, keep(1)),
    begin(9),
    query(2, 9, keepOrUndoAll(1)),
    query(3, 9, keep(3)),
    end(4, 9),
    batch(5, keep(5)),
    batch(6, keepOrUndoAll(5)),
    batch(7, keep(7)),
  ]);
  const done = [...bench.outcomes].filter(([, outcome]) => outcome === 'done').map(([id]) => id);
  assert.deepEqual(done, [7]);
  assert.deepEqual(bench.readKeys(), [7]);
});

it('undoes a transaction past its limit, rejects its late requests, and runs the next', async () => {
  using bench = openBench();
  bench.queue.receive([batch(1, keep(1)), begin(9, 30), query(2, 9, keep(2)), batch(3, keep(3))]);
  await bench.nextFlush();
  bench.queue.receive([query(4, 9, keep(4)), end(5, 9)]);
  assert.deepEqual(Object.fromEntries(bench.outcomes), {
    1: 'done',
    2: 'done',
    3: 'done',
    4: 'failed',
    5: 'failed',
    'lost 9': 'failed',
  });
  assert.deepEqual(bench.readKeys(), [1, 3]);
});

it('rejects all waiting requests when the file stays locked, and later ones try again', () => {
  using bench = openBench();
  using holder = new DatabaseSync(bench.file);
  holder.exec('BEGIN IMMEDIATE');
  bench.queue.receive([batch(1, keep(1)), begin(9), query(2, 9, keep(2)), batch(3, keep(3))]);
  assert.deepEqual(Object.fromEntries(bench.outcomes), {
    1: 'failed',
    2: 'failed',
    'lost 9': 'failed',
    3: 'failed',
  });
  holder.exec('ROLLBACK');
  bench.queue.receive([end(4, 9), batch(5, keep(5))]);
  assert.deepEqual([bench.outcomes.get(4), bench.outcomes.get(5)], ['failed', 'done']);
  assert.deepEqual(bench.readKeys(), [5]);
});
