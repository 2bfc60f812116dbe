/**
 * Deletes the remains of parts that a power cut broke before they were synced. The engine sets them aside when it starts, and their entries
 * are stored again from the journal.
 */
import { queryRows, runCommand } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { localTable } from '../schema/schema.ts';
import { isDetachedAs, type Ledger } from './ledgerFile.ts';

/** Lists the parts that the engine found broken when it started, by the names under which it set them aside. */
export async function listBroken(access: EngineAccess): Promise<{ name: string; reason: string }[]> {
  const sql = `SELECT name, reason FROM system.detached_parts
    WHERE concat(database, '.', table) = '${localTable}' AND reason LIKE '%broken%'`;
  const rows = await queryRows(access, { sql });
  return (rows as [string, string][]).map(([name, reason]) => ({ name, reason })); // as selected
}

/** Keeps the remains of parts that the ledger knows: they may be all that is left of entries no longer in the journal. */
export async function removeBrokenRemains(access: EngineAccess, ledger: Ledger): Promise<void> {
  if (ledger.lost.length > 0) return;
  const known = [...ledger.parts.map(({ name }) => name), ...ledger.accepted];
  for (const { name } of await listBroken(access)) {
    if (known.some(part => isDetachedAs(name, part))) continue;
    const sql = `ALTER TABLE ${localTable} DROP DETACHED PART '${name}' SETTINGS allow_drop_detached = 1`;
    await runCommand(access, sql); // names consist of letters, digits, hyphens and underscores
  }
}
