/** Sums up the matches of a filter: times, levels, resources, hours of the week, and the texts at some paths. */
import type { LogFilter, LogLevel, LogProfile } from '@tapedeck/log-entries';
import { Binder } from '../../writer/engine/statements.ts';
import { formatMatches } from '../conditions.ts';
import type { CountDeps } from '../counts.ts';
import { formatPath } from '../fields.ts';
import { runQuery } from '../queryRunner.ts';
import { wholeMapSettings } from '../querySettings.ts';
import { type Arrived, formatArrived } from './settledEntries.ts';

const hoursOfWeek = 168;
export const factsMax = 100_000; // about ten megabytes

export type Fact = [kind: string, value: string, entries: number, firstMicros: number, lastMicros: number];

/** Counts matches that arrived in a time span: one row for each level, resource, hour and text. */
export async function readFacts(
  { runner, table }: Pick<CountDeps, 'runner' | 'table'>,
  filter: LogFilter,
  { paths, arrived, signal }: { paths: readonly string[]; arrived: Arrived; signal: AbortSignal },
): Promise<readonly Fact[]> {
  const binder = new Binder();
  const texts = paths.map(path => formatPath(path, binder).value);
  const values = texts.length === 0 ? "CAST([], 'Array(String)')" : `[${texts.join(', ')}]`;
  // Groups equal entries before it splits them into facts: a subject with a million entries has only a few thousand groups.
  const sql = `SELECT fact.1 AS kind, fact.2 AS value, toInt64(sum(entries)), min(firstAt), max(lastAt)
    FROM (
      SELECT entries, firstAt, lastAt, arrayJoin(arrayConcat(
        [('level', toString(level)), ('resource', resource), ('hour', toString(hour))],
        arrayFilter(fact -> fact.2 != '', arrayMap((text, place) -> (toString(place), text), texts, arrayEnumerate(texts)))
      )) AS fact
      FROM (
        SELECT level, resource, (toDayOfWeek(timestamp, 0, 'UTC') - 1) * 24 + toHour(timestamp, 'UTC') AS hour, ${values} AS texts,
          count() AS entries, min(toUnixTimestamp64Micro(timestamp)) AS firstAt, max(toUnixTimestamp64Micro(timestamp)) AS lastAt
        FROM ${formatMatches({ table }, filter, binder)}${formatArrived(arrived, binder)}
        GROUP BY level, resource, hour, texts
      )
    )
    GROUP BY kind, value ORDER BY max(lastAt) DESC, value LIMIT ${factsMax}`;
  const statement = { sql, parameters: binder.parameters, settings: wholeMapSettings };
  const rows = await runQuery(runner, { weight: 'search', signal }, statement);
  return rows as unknown as Fact[]; // matches the SELECT
}

/** Reads a profile; null without facts. The most recently used values come first. */
export function readProfile(
  facts: readonly Fact[],
  { paths, valuesMax }: { paths: readonly string[]; valuesMax: number },
): LogProfile | null {
  const levels: Record<LogLevel, number> = { debug: 0, info: 0, warn: 0, error: 0 };
  const resources: { resource: string; entries: number }[] = [];
  const hours = Array.from({ length: hoursOfWeek }, () => 0);
  const values: { path: string; value: string; firstMicros: number; lastMicros: number }[] = [];
  let entries = 0;
  let firstMicros = Number.POSITIVE_INFINITY;
  let lastMicros = Number.NEGATIVE_INFINITY;
  for (const [kind, value, count, first, last] of facts) {
    if (kind === 'level') {
      levels[value as LogLevel] += count; // the column has no other values
      entries += count;
      firstMicros = Math.min(firstMicros, first);
      lastMicros = Math.max(lastMicros, last);
    } else if (kind === 'hour') hours[Number(value)] = count;
    else if (kind === 'resource') {
      if (value !== '') resources.push({ resource: value, entries: count });
    } else {
      const path = paths[Number(kind) - 1] ?? '';
      values.push({ path, value, firstMicros: first, lastMicros: last });
    }
  }
  if (entries === 0) return null;
  resources.sort((one, other) => other.entries - one.entries || (one.resource < other.resource ? -1 : 1));
  return {
    entries,
    firstMicros,
    lastMicros,
    levels,
    hours,
    resources: resources.slice(0, valuesMax),
    values: values.slice(0, valuesMax),
  };
}
