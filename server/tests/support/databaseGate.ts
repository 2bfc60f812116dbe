/** For tests: blocks changes in PostgreSQL, so that a process can be killed in the middle of a change. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';

export type DatabaseGate = AsyncDisposable & {
  /** Resolves when a change waits at the gate. */
  reached(): Promise<void>;
  /** Resolves when another transaction waits behind that change. */
  opposed(): Promise<void>;
  open(): Promise<void>;
  /** Resolves once no transaction waits behind the gate. */
  passed(): Promise<void>;
  /** Ends the connection of the change that waits at the gate, which rolls it back. */
  forget(): Promise<void>;
};

type Place = {
  table: string;
  /** The trigger's definition, without its function body. */
  trigger: string;
};

const reachedMsMax = 60_000;

export async function closeGate(connectionString: string, { table, trigger }: Place): Promise<DatabaseGate> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(`create or replace function stand_before_gate() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(1); return new; end $$`);
  await client.query(`create ${trigger} execute function stand_before_gate()`);
  await client.query('select pg_advisory_lock(1)');
  const findWaiting = async (lock: string) => {
    const deadline = performance.now() + reachedMsMax;
    const look = 'select 1 from pg_locks where locktype = $1 and not granted';
    while ((await client.query(look, [lock])).rows.length === 0) {
      assert.ok(performance.now() < deadline, `nobody waits for the lock ${lock}`);
      await wait(5);
    }
  };
  return {
    reached: () => findWaiting('advisory'),
    opposed: () => findWaiting('transactionid'),
    open: async () => {
      await client.query('select pg_advisory_unlock(1)');
      await client.query(`drop trigger gate on ${table}`);
    },
    passed: async () => {
      const look = "select 1 from pg_locks where locktype = 'advisory' and pid != pg_backend_pid()";
      const deadline = performance.now() + reachedMsMax;
      while ((await client.query(look)).rows.length > 0) {
        assert.ok(performance.now() < deadline, 'queries before the gate continue');
        await wait(5);
      }
    },
    forget: async () => {
      await client.query(`select pg_terminate_backend(pid, 10000) from pg_locks
        where locktype = 'advisory' and not granted`);
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
