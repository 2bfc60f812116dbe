/**
 * How many parts the engine merges at once follows the intake. While much comes in, wide merges save the processor; but what
 * has not been merged has no indexes yet, and searches look through it entry by entry. So once it is calm again, narrow
 * merges follow until little of that is left.
 */

import type { Logger } from '../../logger.ts';
import { queryRows, runCommand } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { activeParts, localTable } from '../schema/schema.ts';

/** ClickHouse: parts are merged when together they are so many times as large as the largest of them. */
export const widths = { usual: 5, wide: 10, narrow: 2 };

const lookIntervalMs = 3_000;
const searchedQuickly = 200_000; // rows without indexes that cost a search 30 ms
const largeInsert = 20_000; // rows; smaller ones come all day long
const calmSecondsMin = 3;

type MergeWidthDeps = {
  /** An engine of the service's own: others have administrators. */
  access: EngineAccess;
  log: Logger;
  /** Since the start. */
  countInsertedRows(): number;
};

/** While no entries come in, the engine is asked nothing: work that it does not do takes no memory. */
export function adaptMergeConcurrency(deps: MergeWidthDeps, intervalMs = lookIntervalMs): AsyncDisposable {
  const { access, log } = deps;
  let width: number | null = null; // of an earlier run nothing is known
  let rowsBefore = 0;
  let looking: Promise<void> = Promise.resolve();
  const isDue = () => {
    const rows = deps.countInsertedRows();
    if (rows < rowsBefore + largeInsert && width === widths.usual) return false;
    rowsBefore = rows;
    return access.endpoint() !== null;
  };
  const look = async () => {
    if (!isDue()) return;
    try {
      const due = await chooseConcurrency(access);
      if (due === width) return;
      await runCommand(access, `ALTER TABLE ${localTable} MODIFY SETTING merge_selector_base = ${due}`);
      width = due;
    } catch (error) {
      if (access.endpoint() !== null) log.warn({ err: error }, 'the log engine did not say how it is doing');
    }
  };
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, intervalMs).unref();
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}

/** By the parts that inserts left without indexes: how many entries they hold, and how old the newest large one is. */
export async function chooseConcurrency(access: EngineAccess, calmSeconds = calmSecondsMin): Promise<number> {
  const rows = await queryRows(access, {
    sql: `SELECT max(at) + ${calmSeconds} <= now() FROM (
        SELECT maxIf(modification_time, rows >= ${largeInsert}) AS at FROM ${activeParts} AND level = 0
        GROUP BY partition_id HAVING count() > 1 AND sum(rows) >= ${searchedQuickly}
      ) HAVING count() > 0`,
  });
  const [unsettled] = rows;
  if (unsettled === undefined) return widths.usual;
  return unsettled[0] === 1 ? widths.narrow : widths.wide;
}
