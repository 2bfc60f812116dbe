/**
 * A power cut may break parts that were not synced yet. The engine sets aside those that it cannot open; one that it opens may still
 * hold what was never written. Those go aside here, before the journal, which still has their entries, is compared with the table.
 */

import type { Logger } from '../../logger.ts';
import { Binder } from '../engine/binder.ts';
import { queryRows, runCommand } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { activeParts, localTable } from '../schema/schema.ts';

const clockStepsMs = 2_000; // times of parts are in seconds

/** `since`: Unix milliseconds, when the oldest entries in the journal came. Parts that are older had been synced. */
export async function detachBrokenParts(access: EngineAccess, log: Logger, since: number): Promise<void> {
  const binder = new Binder();
  const from = binder.bind('Int64', Math.floor((since - clockStepsMs) / 1000));
  const sql = `SELECT name FROM ${activeParts} AND level = 0 AND toUnixTimestamp(modification_time) >= ${from}`;
  for (const [name] of await queryRows(access, { sql, parameters: binder.parameters })) {
    const part = `'${name}'`; // of digits and signs, as the engine names parts
    const [[isWhole] = []] = await queryRows(access, {
      sql: `CHECK TABLE ${localTable} PART ${part} SETTINGS check_query_single_value_result = 1`,
    });
    if (Number(isWhole) === 1) continue;
    await runCommand(access, `ALTER TABLE ${localTable} DETACH PART ${part}`);
    log.warn({ part: name }, 'a power cut broke a part of the log table; its entries are stored again');
  }
}
