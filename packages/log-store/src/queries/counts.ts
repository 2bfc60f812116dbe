/** Counts matches, in total and by time. */
import type { LogBucket, LogBuckets, LogFilter, LogLevel } from '@tapedeck/log-entries';
import { Binder, bindMicros, type Statement } from '../writer/engine/statements.ts';
import { filtersByKeyOnly, formatConditionsApart } from './conditions.ts';
import { isLed } from './indexPruning.ts';
import { findWords, type PartWords } from './partWords.ts';
import { type Runner, runQuery } from './queryRunner.ts';
import { ledSettings, plainSettings } from './querySettings.ts';
import { listSlotSources, slotSettings } from './rollups/keptSlots.ts';
import type { SlotCounts } from './rollups/slotCounts.ts';

export type CountDeps = {
  runner: Runner;
  table: string;
  /** null if other programs insert, too. */
  words: PartWords | null;
  /** Absent or null with several servers, or if other programs insert, too. */
  slotCounts?: SlotCounts | null;
};

export async function countEntries(deps: CountDeps, filter: LogFilter, signal: AbortSignal): Promise<number> {
  const cached = isOfKey(filter) ? null : await deps.slotCounts?.count({ filter, field: 'level', signal });
  if (cached) return cached.values().reduce((sum, entries) => sum + entries, 0);
  const binder = new Binder();
  const kept = isOfKey(filter) ? null : listSlotSources(deps.table, filter, binder);
  const known = await findWords(deps.words, filter, signal);
  const sources =
    kept ??
    formatConditionsApart({ table: deps.table, known }, filter, binder).map(
      clause => `${deps.table} ${clause}`,
    );
  if (sources.length === 0) return 0;
  const statements = sources.map(source => `SELECT count() FROM ${source}`);
  const weight = isOfKey(filter) ? 'light' : 'heavy';
  const statement = {
    sql: statements.join(' UNION ALL '),
    parameters: binder.parameters,
    settings: kept === null ? chooseSettings(deps, filter) : slotSettings,
  };
  const rows = await runQuery(deps.runner, { weight, signal }, statement);
  return (rows as [number][]).reduce((sum, [count]) => sum + count, 0); // matches the SELECT
}

function chooseSettings({ words }: CountDeps, filter: LogFilter): NonNullable<Statement['settings']> {
  if (words !== null && isLed(filter.condition)) return ledSettings;
  return readsSmallColumnsOnly(filter) ? plainSettings : {};
}

/** Whether the query needs only the key or the level, which are small columns. */
export function readsSmallColumnsOnly(filter: LogFilter): boolean {
  return filtersByKeyOnly(filter) || filter.condition.kind === 'level';
}

/** Whether the engine can count by the key and read almost nothing. The key orders times only within a dataset. */
function isOfKey(filter: LogFilter): boolean {
  const isOfAnyTime = filter.fromMicros === null && filter.toMicros === null;
  return filtersByKeyOnly(filter) && (isOfAnyTime || filter.datasets?.length === 1);
}

export async function countByTime(
  deps: CountDeps,
  filter: LogFilter,
  request: LogBuckets & { signal: AbortSignal },
): Promise<LogBucket[]> {
  const { startMicros, intervalMicros, count, signal } = request;
  const binder = new Binder();
  const start = binder.bind('Int64', startMicros);
  const interval = binder.bind('Int64', intervalMicros);
  const known = await findWords(deps.words, filter, signal);
  // The engine groups 16-bit keys faster, and there are never more buckets than that.
  const statements = formatConditionsApart({ table: deps.table, known }, filter, binder).map(
    clause => `SELECT toUInt16(intDiv(toUnixTimestamp64Micro(timestamp) - ${start}, ${interval})) AS bucket, level, count()
    FROM ${deps.table}
    ${clause}
      AND timestamp >= ${bindMicros(startMicros, binder)}
      AND timestamp < ${bindMicros(startMicros + intervalMicros * count, binder)}
    GROUP BY bucket, level`,
  );
  const statement = {
    sql: statements.join(' UNION ALL '),
    parameters: binder.parameters,
    settings: chooseSettings(deps, filter),
  };
  const rows =
    statements.length === 0 ? [] : await runQuery(deps.runner, { weight: 'heavy', signal }, statement);
  const buckets = Array.from({ length: count }, (_, index) => ({
    startMicros: startMicros + index * intervalMicros,
    counts: { debug: 0, info: 0, warn: 0, error: 0 },
  }));
  // Matches the SELECT.
  for (const [bucket, level, entries] of rows as [number, LogLevel, number][]) {
    const counts = buckets[bucket]?.counts; // the statement selects only these buckets
    if (counts) counts[level] += entries;
  }
  return buckets;
}
