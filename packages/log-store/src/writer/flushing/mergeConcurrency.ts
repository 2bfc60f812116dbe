/**
 * Adjusts the number of parts that the engine merges at once to the intake. During a burst, wide merges save processor time,
 * but unmerged parts have no indexes, and searches read them entry by entry. So the more is unindexed, the fewer parts are
 * enough for a merge. After the burst, narrow merges follow until little is unindexed. Meanwhile indexed parts are left out,
 * because rebuilding indexes is the most expensive part of a merge.
 */

import type { Logger } from '../../logger.ts';
import { queryRows, runCommand } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { activeParts, localTable, mergedBytesMax } from '../schema/schema.ts';

/**
 * ClickHouse merges parts when together they are this many times as large as the largest of them; its default is 5. With the
 * wide value, the parts that a burst left after its first merges (about seven) stay as they are, and their indexes are not
 * rebuilt. The engine itself lowers the value for small, old or many parts, but not below 2. With the last value, a part is merged
 * with a neighbour of up to twenty times its size.
 */
export const widths = { wide: 10, medium: 4, narrow: 2, last: 1.05 };

const pollIntervalMs = 1_500; // each step of the merges after a burst waits for a look
const manyUnindexed = 200_000; // rows; a search for an absent word reads them in 100 ms of processor time
/** From this many unindexed rows on, merges during a burst are less wide. A dozen parts that wait for a wide merge have 1,600,000. */
const backlogRows = { medium: 2_000_000, narrow: 4_000_000 };
const largeInsert = 20_000; // rows; smaller inserts are routine
const arrivingRows = 10_000; // between two looks, in a burst
/** Seconds since the last large insert. Few unindexed rows can wait until more come. */
const calmSecondsMin = { many: 3, few: 10 };
const runningMerges = `system.merges WHERE concat(database, '.', table) = '${localTable}'`;
const bytesGrowth = 4; // factor per look at which the remaining small parts have no small neighbours
/** So many times the unindexed bytes may be rewritten to index them. It pays after about a hundred searches for rare words. */
const rewrittenShare = 16;
/** A merge may take this many parts like the largest unindexed one: too few bytes for merging parts that a burst left indexed. */
const unindexedParts = 16;
/** Above this number in a partition, large parts with indexes are merged, too. Each costs a search some milliseconds. */
const indexedPartsMax = 60;
/** Usual merges take up to five million entries. What a burst left is larger together, so its indexes are not rebuilt. */
export const settledBytesMax = 512 * 1024 ** 2;

type MergeWidthDeps = {
  /** Always an embedded engine: external ones have administrators. */
  access: EngineAccess;
  log: Logger;
  /** Counts since the start. */
  countInsertedRows(): number;
};

/**
 * `settled`: little is left without indexes. `burst`: much has just been inserted. `calm`: nothing large has come for seconds.
 * `indexedParts` counts the parts of one partition that have indexes.
 */
type MergeState = { indexedParts: number } & (Settled | Burst | Calm);

type Settled = { kind: 'settled' };

type Burst = {
  kind: 'burst';
  /** Of parts without indexes that no merge has taken up, within a partition. */
  rows: number;
  /** Of one such part. */
  largestBytes: number;
};

type Calm = {
  kind: 'calm';
  /** Of parts without indexes that no merge has taken up, within a partition. */
  unmergedBytes: number;
  /** Of one such part. */
  largestBytes: number;
  isMerging: boolean;
  /** Whether so much is without indexes that rewriting larger parts as well is worth it. */
  isMuch: boolean;
};

/** What the engine was told: the kind of the state, and its limits. */
type Width = { kind: MergeState['kind'] | 'unknown'; base: number; bytesMax: number };

/** Asks the engine nothing while no entries come in: an idle engine takes no memory. */
export function adaptMergeConcurrency(deps: MergeWidthDeps, intervalMs = pollIntervalMs): AsyncDisposable {
  const { access, log } = deps;
  let width: Width = { kind: 'unknown', base: 0, bytesMax: mergedBytesMax }; // as after a restart
  let rowsBefore = 0;
  let looking: Promise<void> = Promise.resolve();
  const look = async () => {
    const rows = deps.countInsertedRows();
    const isArriving = rows >= rowsBefore + arrivingRows;
    if ((!isArriving && width.kind === 'settled') || access.endpoint() === null) return;
    rowsBefore = rows;
    try {
      const due = chooseWidth(await readState(access), { before: width, isArriving });
      if (due.base !== width.base || due.bytesMax !== width.bytesMax) await setWidth(access, due);
      width = due;
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

type Arrival = { before: Width; isArriving: boolean };

export function chooseWidth(state: MergeState, { before, isArriving }: Arrival): Width {
  switch (state.kind) {
    case 'settled':
      // Merges have caught up, but inserts continue.
      return isArriving && before.kind === 'burst' ? { ...before, base: widths.wide } : settle(state);
    case 'burst':
      return {
        kind: 'burst',
        base: chooseBase(state),
        bytesMax: hasManyParts(state) ? mergedBytesMax : limitToUnindexed(state),
      };
    case 'calm':
      return chooseCalm(state, before);
  }
}

function settle(state: MergeState): Width {
  const bytesMax = hasManyParts(state) ? mergedBytesMax : settledBytesMax;
  return { kind: 'settled', base: widths.wide, bytesMax };
}

function hasManyParts({ indexedParts }: MergeState): boolean {
  return indexedParts > indexedPartsMax;
}

function chooseBase({ rows }: Burst): number {
  if (rows < backlogRows.medium) return widths.wide;
  return rows < backlogRows.narrow ? widths.medium : widths.narrow;
}

/** Rounds up to a power of two, so that it seldom changes. */
function limitToUnindexed({ largestBytes }: Burst | Calm): number {
  return Math.min(2 ** Math.ceil(Math.log2(unindexedParts * largestBytes)), mergedBytesMax);
}

/**
 * Limits a narrow merge to the bytes without indexes, which shrink with each merge that begins. When nothing else is left to
 * do, parts of any size are merged with each other, and if they are worth it, with larger neighbours: the limit grows.
 * `before` is the previous choice. It gives up when no merge takes what is left. That holds until more is inserted.
 */
function chooseCalm(state: MergeState & Calm, before: Width): Width {
  const { unmergedBytes, isMerging, isMuch } = state;
  if (before.kind !== 'calm' || isMerging) {
    const bytesBefore = before.kind === 'calm' ? before.bytesMax : limitToUnindexed(state);
    return { kind: 'calm', base: widths.narrow, bytesMax: Math.min(unmergedBytes, bytesBefore) };
  }
  const bytesMax = Math.min(isMuch ? unmergedBytes * rewrittenShare : unmergedBytes, mergedBytesMax);
  const isInVain = before.base === widths.last && before.bytesMax >= bytesMax;
  if (isInVain) return settle(state);
  return { kind: 'calm', base: widths.last, bytesMax: Math.min(before.bytesMax * bytesGrowth, bytesMax) };
}

/**
 * Starts narrow merges at once. By itself, the engine looks for merges when an insert or merge has ended, and otherwise up
 * to ten seconds later.
 */
async function setWidth(access: EngineAccess, { kind, base, bytesMax }: Width): Promise<void> {
  const assignments = `merge_selector_base = ${base}, max_bytes_to_merge_at_max_space_in_pool = ${bytesMax}`;
  await runCommand(access, `ALTER TABLE ${localTable} MODIFY SETTING ${assignments}`);
  if (kind === 'calm') await runCommand(access, `SYSTEM START MERGES ${localTable}`);
}

/**
 * Reads the parts that inserts left without indexes: their number of entries, and the age of the newest large one.
 * Parts in a running merge are left out; they stay active until that merge has ended. A part alone has none to be merged with.
 */
export async function readState(access: EngineAccess, calmSeconds = calmSecondsMin): Promise<MergeState> {
  const rows = await queryRows(access, {
    sql: `SELECT count(), min(calmAt <= now()), max(entries), max(largest), max(bytes), max(isMuch),
        (SELECT max(parts) FROM (SELECT count() AS parts FROM ${activeParts} AND level > 0 GROUP BY partition_id)),
        (SELECT count() FROM ${runningMerges})
      FROM (
        SELECT sum(rows) AS entries, entries >= ${manyUnindexed} AS isMuch, sum(bytes_on_disk) AS bytes,
          max(bytes_on_disk) AS largest,
          maxIf(modification_time, rows >= ${largeInsert}) + if(isMuch, ${calmSeconds.many}, ${calmSeconds.few}) AS calmAt
        FROM ${activeParts} AND level = 0 AND name NOT IN (SELECT arrayJoin(source_part_names) FROM ${runningMerges})
        GROUP BY partition_id HAVING count() > 1 AND (isMuch OR countIf(rows >= ${largeInsert}) > 1)
      )`,
  });
  // As selected; a sum over all has one row.
  const [unsettled, isCalm, entries, largestBytes, unmergedBytes, isMuch, indexedParts, merges] = rows[0] as [
    number,
    0 | 1,
    number,
    number,
    number,
    0 | 1,
    number,
    number,
  ];
  if (unsettled === 0) return { kind: 'settled', indexedParts };
  if (isCalm === 0) return { kind: 'burst', rows: entries, largestBytes, indexedParts };
  const [isMerging, isWorthMore] = [merges > 0, isMuch === 1];
  return { kind: 'calm', unmergedBytes, largestBytes, isMerging, isMuch: isWorthMore, indexedParts };
}
