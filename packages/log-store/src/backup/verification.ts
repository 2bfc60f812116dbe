/** Checks that every part of the log table holds the bytes that were written: the engine knows the checksum of each file. */
import type { EngineAccess } from '../engine/supervision.ts';
import { queryRows } from '../queries/statements.ts';
import { localTable } from '../schema/schema.ts';

export type LogVerification = { entries: number; parts: number; damaged: string[] };

const checkTimeSecondsMax = 0; // as long as it takes to read everything

/** Parts that the engine found broken when it started: it goes on without them. */
async function listSetAside(access: EngineAccess): Promise<string[]> {
  const sql = `SELECT name, reason FROM system.detached_parts
    WHERE concat(database, '.', table) = '${localTable}' AND reason LIKE '%broken%'`;
  const rows = await queryRows(access, { sql });
  return rows.map(([name, reason]) => `${name}: set aside by the engine (${reason})`);
}

export async function verifyLogs(shards: readonly EngineAccess[]): Promise<LogVerification> {
  const result: LogVerification = { entries: 0, parts: 0, damaged: [] };
  for (const access of shards) {
    const settings = { check_query_single_value_result: 0, max_execution_time: checkTimeSecondsMax };
    const rows = await queryRows(access, { sql: `CHECK TABLE ${localTable}`, settings });
    for (const [part, isGood, message] of rows) {
      result.parts += 1;
      if (!isGood || Number(isGood) === 0) result.damaged.push(`${part}: ${message}`);
    }
    result.damaged.push(...(await listSetAside(access)));
    const [counted] = await queryRows(access, { sql: `SELECT count() FROM ${localTable}` });
    result.entries += Number(counted?.[0] ?? 0);
  }
  return result;
}
