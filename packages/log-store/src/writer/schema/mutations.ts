/**
 * Runs statements that change parts in the background. ClickHouse runs them one after another, so a deletion would wait
 * for all that began before it. Instead the deletion goes first and interrupted statements run again, which wastes only
 * their work on unfinished parts.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { EngineError } from '../engine/requests.ts';
import { queryRows, runCommand } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { localTable, patternTable } from './schema.ts';

const unfinished = `concat(database, '.', table) = '${localTable}' AND NOT is_done`;
const ofBackfill = `(command LIKE '%MATERIALIZE %' OR command LIKE '%${patternTable}%')`;

const lookIntervalMs = 250;
const accessDeniedCode = 497;

/** Ends backfill mutations before a deletion. If the user may not end them, the deletion waits for them. */
export async function endBackfilling(access: EngineAccess, signal?: AbortSignal): Promise<void> {
  try {
    await runCommand(access, `KILL MUTATION WHERE ${unfinished} AND ${ofBackfill} ASYNC FORMAT Null`, {
      signal,
    });
  } catch (error) {
    if (!(error instanceof EngineError) || error.engineCode !== accessDeniedCode) throw error;
  }
}

/** Runs a statement. Resolves to whether it did all of its work; false if a deletion went first. */
export async function mutate(access: EngineAccess, sql: string, signal: AbortSignal): Promise<boolean> {
  await waitForOthers(access, signal);
  const before = new Set(await listMutations(access, '1', signal));
  await runCommand(access, `ALTER TABLE ${localTable} ${sql} SETTINGS mutations_sync = 0, alter_sync = 0`, {
    signal,
  });
  const begun = (await listMutations(access, ofBackfill, signal)).filter(id => !before.has(id));
  for (const id of begun) if (!(await finish(access, id, signal))) return false;
  return true;
}

/** Waits until no other mutation is running. One at a time, they do not delay deletions. */
async function waitForOthers(access: EngineAccess, signal: AbortSignal): Promise<void> {
  const sql = `SELECT 1 FROM system.mutations WHERE ${unfinished} LIMIT 1`;
  while ((await queryRows(access, { sql, signal })).length > 0)
    await wait(lookIntervalMs, undefined, { signal });
}

async function listMutations(access: EngineAccess, which: string, signal: AbortSignal): Promise<string[]> {
  const sql = `SELECT DISTINCT mutation_id FROM system.mutations
    WHERE concat(database, '.', table) = '${localTable}' AND ${which}`;
  return (await queryRows(access, { sql, signal })).map(([id]) => String(id));
}

/** Waits for the mutation. Kills one that fails, because it would fail forever and hold up those behind it. */
async function finish(access: EngineAccess, id: string, signal: AbortSignal): Promise<boolean> {
  const parameters = { id };
  const where = `concat(database, '.', table) = '${localTable}' AND mutation_id = {id:String}`;
  const sql = `SELECT min(is_done), max(latest_fail_reason) FROM system.mutations WHERE ${where} GROUP BY mutation_id`;
  for (;;) {
    const [row] = await queryRows(access, { sql, parameters, signal });
    if (row === undefined) return false;
    const [isDone, failure] = row as [number, string]; // as selected
    if (isDone === 1) return true;
    if (failure !== '') {
      await runCommand(access, `KILL MUTATION WHERE ${where} ASYNC FORMAT Null`, { parameters, signal });
      throw new EngineError(failure);
    }
    await wait(lookIntervalMs, undefined, { signal });
  }
}
