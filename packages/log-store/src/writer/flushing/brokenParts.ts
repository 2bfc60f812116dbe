/**
 * Sets broken parts aside. A power cut may break parts that were not synced yet, and the engine may open parts with bytes
 * that were never written. This file runs before the journal, which still has their entries, is compared with the table.
 */

import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../../logger.ts';
import { EngineError } from '../engine/requests.ts';
import { Binder, findDamagedPart, queryRows, runCommand } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { activeParts, localTable, projections } from '../schema/schema.ts';
import { nameDeclared } from '../schema/tables.ts';

type Row = [name: string, partition: string, rows: number];

type Part = { name: string; partition: string; rows: number };

const clockStepsMs = 2_000; // times of parts are in seconds
const rebuildMsMax = 30_000; // new entries wait for the rebuild, so it must not hold them forever
const rebuildLookMs = 50;
const brokenProjectionPattern = /^Code: 713\b/;

/**
 * `since` is when the oldest entries in the journal came, in Unix milliseconds. Older parts are already synced. Their counts may
 * be broken all the same: an earlier start may have begun to rebuild them, and lost its power before the end.
 */
export async function repairBrokenParts(access: EngineAccess, log: Logger, since: number): Promise<void> {
  const partitions = await listWithBrokenCounts(access);
  for (const part of await listUnmerged(access, since)) {
    const failure = await checkPart(access, part.name);
    if (failure === null) continue;
    if (brokenProjectionPattern.test(failure) && (await hasAllRows(access, part)))
      partitions.add(part.partition);
    else {
      await runCommand(access, `ALTER TABLE ${localTable} DETACH PART '${part.name}'`);
      log.warn({ part: part.name }, 'a power cut broke a part of the log table; storing its entries again');
    }
  }
  if (partitions.size === 0) return;
  log.warn('a power cut broke counts of the log table; counting again');
  for (const partition of partitions) await startRebuild(access, partition);
  if (!(await waitForRebuild(access))) log.warn('the counts of the log table are still being rebuilt');
}

/** Lists the partitions of parts whose counts the engine found broken when it opened them. */
async function listWithBrokenCounts(access: EngineAccess): Promise<Set<string>> {
  const sql = `SELECT DISTINCT partition_id FROM system.projection_parts
    WHERE active AND is_broken AND concat(database, '.', table) = '${localTable}'`;
  return new Set((await queryRows(access, { sql })).map(([partition]) => String(partition)));
}

async function listUnmerged(access: EngineAccess, since: number): Promise<Part[]> {
  const binder = new Binder();
  const from = binder.bind('Int64', Math.floor((since - clockStepsMs) / 1000));
  const sql = `SELECT name, partition_id, rows FROM ${activeParts} AND level = 0 AND toUnixTimestamp(modification_time) >= ${from}`;
  // As selected.
  const rows = (await queryRows(access, { sql, parameters: binder.parameters })) as Row[];
  return rows.map(([name, partition, count]) => ({ name, partition, rows: count }));
}

/** Checks a part and returns the engine's complaint, or null. */
async function checkPart(access: EngineAccess, name: string): Promise<string | null> {
  const [[, isWhole, failure] = []] = await queryRows(access, {
    // Names of parts consist of digits and signs.
    sql: `CHECK TABLE ${localTable} PART '${name}' SETTINGS check_query_single_value_result = 0`,
  });
  return Number(isWhole) === 1 ? null : String(failure);
}

/**
 * Reads the entries themselves, because the engine ends its check at the first broken projection. Earlier versions synced
 * the entries of a part but not its projections, and the journal may no longer have those entries.
 */
async function hasAllRows(access: EngineAccess, { name, rows }: Part): Promise<boolean> {
  const sql = `SELECT count(), sum(cityHash64(*)) FROM ${localTable} WHERE _part = '${name}'
    SETTINGS optimize_use_projections = 0, asterisk_include_materialized_columns = 1`;
  try {
    const [[count] = []] = await queryRows(access, { sql });
    return Number(count) === rows;
  } catch (error) {
    if (findDamagedPart(error) === name || error instanceof EngineError) return false;
    throw error; // the engine is away, or short of memory
  }
}

/** Until the counts are rebuilt, the engine reads the entries instead. Parts with intact projections keep them. */
async function startRebuild(access: EngineAccess, partition: string): Promise<void> {
  for (const name of projections.map(nameDeclared)) {
    const command = `MATERIALIZE PROJECTION ${name} IN PARTITION ID '${partition}' SETTINGS mutations_sync = 0`;
    await runCommand(access, `ALTER TABLE ${localTable} ${command}`);
  }
}

/**
 * Resolves to whether the rebuild has ended. It is waited for because the journal still has the entries of broken parts: if the
 * power goes before the end, the next start checks these parts again.
 */
async function waitForRebuild(access: EngineAccess): Promise<boolean> {
  const sql = `SELECT count() FROM system.mutations
    WHERE NOT is_done AND concat(database, '.', table) = '${localTable}' AND command LIKE '%MATERIALIZE PROJECTION%'`;
  for (const deadline = performance.now() + rebuildMsMax; performance.now() < deadline; ) {
    const [[left] = []] = await queryRows(access, { sql });
    if (Number(left) === 0) return true;
    await wait(rebuildLookMs);
  }
  return false;
}
