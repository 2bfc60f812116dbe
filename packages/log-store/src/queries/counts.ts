/** Counts matches: all of them, and by time. */
import type { LogBucket, LogBuckets, LogFilter, LogLevel } from '@tapedeck/log-entries';
import { Binder, bindMicros, type Statement } from '../writer/engine/statements.ts';
import { asksByKeyAlone, formatConditionsApart } from './conditions.ts';
import { isLed } from './indexPruning.ts';
import { findWords, type PartWords } from './partWords.ts';
import { askRows, ledSettings, plainSettings, type Runner } from './queryRunner.ts';
import { listSlotSources } from './rollups/keptSlots.ts';

export type CountDeps = {
  runner: Runner;
  table: string;
  /** null where other programs insert, too. */
  words: PartWords | null;
};

export async function countEntries(deps: CountDeps, filter: LogFilter, signal: AbortSignal): Promise<number> {
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
    settings: kept === null ? chooseSettings(deps, filter) : plainSettings,
  };
  const rows = await askRows(deps.runner, { weight, signal }, statement);
  return (rows as [number][]).reduce((sum, [count]) => sum + count, 0); // as selected
}

function chooseSettings({ words }: CountDeps, filter: LogFilter): NonNullable<Statement['settings']> {
  if (words !== null && isLed(filter.condition)) return ledSettings;
  return asksOfLittle(filter) ? plainSettings : {};
}

/** Whether nothing but key and level decides: both are small, however they are read. */
function asksOfLittle(filter: LogFilter): boolean {
  return asksByKeyAlone(filter) || filter.condition.kind === 'level';
}

/** Whether the engine counts from the key and reads next to nothing. Times lie in the order of the key within a dataset only. */
function isOfKey(filter: LogFilter): boolean {
  const isOfAnyTime = filter.fromMicros === null && filter.toMicros === null;
  return asksByKeyAlone(filter) && (isOfAnyTime || filter.datasets?.length === 1);
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
  // Small keys are grouped faster, and there are never as many buckets.
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
    statements.length === 0 ? [] : await askRows(deps.runner, { weight: 'heavy', signal }, statement);
  const buckets = Array.from({ length: count }, (_, index) => ({
    startMicros: startMicros + index * intervalMicros,
    counts: { debug: 0, info: 0, warn: 0, error: 0 },
  }));
  // As the statement selects them.
  for (const [bucket, level, entries] of rows as [number, LogLevel, number][]) {
    const counts = buckets[bucket]?.counts; // as selected
    if (counts) counts[level] += entries;
  }
  return buckets;
}
