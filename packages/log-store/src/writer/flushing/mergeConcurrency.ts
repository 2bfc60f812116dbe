/**
 * Adjusts the number of parts that the engine merges at once to the intake. During a burst, wide merges save processor time,
 * but unmerged parts have no indexes, and searches read them entry by entry. After the burst, narrow merges follow until
 * little is unindexed. They leave out indexed parts, because rebuilding indexes is the most expensive part of a merge.
 */

import type { Logger } from '../../logger.ts';
import { queryRows, runCommand } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { activeParts, localTable, mergedBytesMax } from '../schema/schema.ts';

/**
 * ClickHouse merges parts when together they are this many times as large as the largest of them; its default is 5. With the
 * wide value, the parts that a burst left after its first merges (about seven) stay as they are, and their indexes are not
 * rebuilt. The engine itself lowers the value for small, old or many parts.
 */
export const widths = { wide: 10, narrow: 2 };

const lookIntervalMs = 3_000;
const manyUnindexed = 200_000; // rows; a search for an absent word reads them in 100 ms of processor time
const largeInsert = 20_000; // rows; smaller inserts are routine
/** Seconds since the last large insert. Few unindexed rows can wait until more come. */
const calmSecondsMin = { many: 3, few: 10 };
const runningMerges = `system.merges WHERE concat(database, '.', table) = '${localTable}'`;
const bytesGrowth = 4; // factor per look at which the remaining small parts have no small neighbours

type MergeWidthDeps = {
  /** Always an embedded engine: external ones have administrators. */
  access: EngineAccess;
  log: Logger;
  /** Counts since the start. */
  countInsertedRows(): number;
};

type MergeWidth = {
  base: number;
  /** Little is left without indexes, so nothing changes until more is inserted. */
  isSettled: boolean;
  /** Bytes of parts without indexes that no merge has taken up, summed within a partition. */
  unmergedBytes: number;
  isMerging: boolean;
  /** Whether so much is without indexes that merging larger parts as well is worth it. */
  isMuch: boolean;
};

const settled: MergeWidth = {
  base: widths.wide,
  isSettled: true,
  unmergedBytes: 0,
  isMerging: false,
  isMuch: false,
};

/** Asks the engine nothing while no entries come in: an idle engine takes no memory. */
export function adaptMergeConcurrency(deps: MergeWidthDeps, intervalMs = lookIntervalMs): AsyncDisposable {
  const { access, log } = deps;
  let width: number | null = null; // unknown after a restart
  let isSettled = false;
  let bytesMax = mergedBytesMax;
  let rowsBefore = 0;
  let looking: Promise<void> = Promise.resolve();
  const isDue = () => {
    const rows = deps.countInsertedRows();
    if (rows < rowsBefore + largeInsert && isSettled) return false;
    rowsBefore = rows;
    return access.endpoint() !== null;
  };
  const look = async () => {
    if (!isDue()) return;
    try {
      const found = await chooseConcurrency(access);
      const due = width === widths.narrow && isInVain(found, bytesMax) ? settled : found;
      const dueBytes = limitBytes(due, width === widths.narrow ? bytesMax : null);
      if (due.base !== width || dueBytes !== bytesMax) await setWidth(access, due.base, dueBytes);
      width = due.base;
      bytesMax = dueBytes;
      isSettled = due.isSettled;
    } catch (error) {
      if (access.endpoint() !== null) log.warn({ err: error }, 'could not read the state of the log engine');
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

/**
 * Limits a narrow merge to the bytes without indexes, which shrink with each merge that begins. When nothing else is left to
 * do, the limit grows, so that parts that are not neighbours are merged with those between them. `before` is the limit of
 * the previous narrow merge.
 */
export function limitBytes({ base, unmergedBytes, isMerging }: MergeWidth, before: number | null): number {
  if (base !== widths.narrow) return mergedBytesMax;
  if (before === null || isMerging) return Math.min(unmergedBytes, before ?? mergedBytesMax);
  return Math.min(before * bytesGrowth, mergedBytesMax);
}

/** Whether narrow merges up to this limit take up nothing of what is left. It stays as it is until more is inserted. */
function isInVain({ isMerging, isMuch }: MergeWidth, bytesMax: number): boolean {
  return !isMerging && (!isMuch || bytesMax === mergedBytesMax);
}

/**
 * Starts narrow merges at once. By itself, the engine looks for merges when an insert or merge has ended, and otherwise up
 * to ten seconds later.
 */
async function setWidth(access: EngineAccess, base: number, bytesMax: number): Promise<void> {
  const assignments = `merge_selector_base = ${base}, max_bytes_to_merge_at_max_space_in_pool = ${bytesMax}`;
  await runCommand(access, `ALTER TABLE ${localTable} MODIFY SETTING ${assignments}`);
  if (base === widths.narrow) await runCommand(access, `SYSTEM START MERGES ${localTable}`);
}

/**
 * Chooses by the parts that inserts left without indexes: their number of entries, and the age of the newest large one.
 * Parts in a running merge are left out; they stay active until that merge has ended. A part alone has none to be merged with.
 */
export async function chooseConcurrency(
  access: EngineAccess,
  calmSeconds = calmSecondsMin,
): Promise<MergeWidth> {
  const rows = await queryRows(access, {
    sql: `SELECT min(calmAt <= now()), max(bytes), max(isMuch),
        (SELECT count() FROM ${runningMerges})
      FROM (
        SELECT sum(rows) >= ${manyUnindexed} AS isMuch, sum(bytes_on_disk) AS bytes,
          maxIf(modification_time, rows >= ${largeInsert}) + if(isMuch, ${calmSeconds.many}, ${calmSeconds.few}) AS calmAt
        FROM ${activeParts} AND level = 0 AND name NOT IN (SELECT arrayJoin(source_part_names) FROM ${runningMerges})
        GROUP BY partition_id HAVING count() > 1 AND (isMuch OR countIf(rows >= ${largeInsert}) > 1)
      ) HAVING count() > 0`,
  });
  const [unsettled] = rows as [0 | 1, number, 0 | 1, number][]; // as selected
  if (unsettled === undefined) return settled;
  const [isCalm, unmergedBytes, isMuch, merges] = unsettled;
  const base = isCalm === 1 ? widths.narrow : widths.wide;
  return { base, isSettled: false, unmergedBytes, isMerging: merges > 0, isMuch: isMuch === 1 };
}
