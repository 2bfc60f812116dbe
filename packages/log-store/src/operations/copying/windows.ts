/** Divides the times of arrival into spans with few enough entries to copy, and if need be to copy again, in one go. */

import { queryRows } from '../../writer/engine/statements.ts';
import type { EngineAccess } from '../../writer/engine/supervision.ts';
import { localTable } from '../../writer/schema/schema.ts';

/** In microseconds; `to` is excluded. */
export type Span = { from: number; to: number };

export const foreverMicros = 4_000_000_000_000_000; // in the year 2096

/** An insert of this many takes a minute at worst, and is what a crash may cost. */
const spanEntriesMax = 1_000_000;
/** Borders are multiples of these, so that an interrupted copy finds them again: 13 days, 5 hours, 4 minutes, 4 seconds. */
const widthsMicros = [2 ** 40, 2 ** 34, 2 ** 28, 2 ** 22];
const countingSettings = { max_execution_time: 0, priority: 2, max_query_size: 16_777_216 };

const arrival = 'toUnixTimestamp64Micro(arrivedAt)';

export function formatSpan({ from, to }: Span): string {
  return `arrivedAt >= fromUnixTimestamp64Micro(${from}, 'UTC') AND arrivedAt < fromUnixTimestamp64Micro(${to}, 'UTC')`;
}

/** Divides a span by what arrived in it. Returns the borders in order, without those of the span itself. */
export async function divideSpan(
  shards: readonly EngineAccess[],
  span: Span,
  { entriesMax = spanEntriesMax, level = 0 } = {},
): Promise<number[]> {
  const width = widthsMicros[level];
  if (width === undefined) return [];
  const counts = new Map<number, number>();
  for (const access of shards) {
    const sql = `SELECT intDiv(${arrival}, ${width}), count() FROM ${localTable} WHERE ${formatSpan(span)} GROUP BY 1`;
    const rows = (await queryRows(access, { sql, settings: countingSettings })) as [number, number][]; // as selected
    for (const [number, entries] of rows) counts.set(number, (counts.get(number) ?? 0) + entries);
  }
  const borders: number[] = [];
  let gathered = 0;
  for (const [number, entries] of [...counts].toSorted(([one], [other]) => one - other)) {
    const part = { from: Math.max(span.from, number * width), to: Math.min(span.to, (number + 1) * width) };
    if (gathered + entries > entriesMax && gathered > 0) {
      borders.push(part.from);
      gathered = 0;
    }
    gathered += entries;
    if (entries <= entriesMax) continue;
    borders.push(...(await divideSpan(shards, part, { entriesMax, level: level + 1 })), part.to);
    gathered = 0;
  }
  return borders.filter(border => border > span.from && border < span.to);
}

/** Counts the entries in each of the spans that begin at these borders; the last ends at `until`. */
export async function countSpans(
  shards: readonly EngineAccess[],
  borders: readonly number[],
  until: number,
): Promise<number[]> {
  const counts = borders.map(() => 0);
  const places = new Map(borders.map((border, index) => [border, index]));
  for (const access of shards) {
    const sql = `SELECT roundDown(${arrival}, [${borders.map(border => `toInt64(${border})`).join(', ')}]), count() FROM ${localTable}
      WHERE ${formatSpan({ from: 0, to: until })} GROUP BY 1`;
    const rows = (await queryRows(access, { sql, settings: countingSettings })) as [number, number][]; // as selected
    for (const [border, entries] of rows) counts[places.get(border)!]! += entries;
  }
  return counts;
}

/** Returns the count and the sum of hashes of the entries in a span. Both are equal for the same entries, on any number of shards. */
export async function digestSpan(shards: readonly EngineAccess[], span: Span): Promise<string> {
  let entries = 0;
  let sum = 0n;
  // Leaves out `pattern`, which is computed later: one side may have it before the other.
  const hash =
    'cityHash64(project, dataset, timestamp, identity, retentionDays, toString(level), resource, parentId, body, mapKeys(metadata), mapValues(metadata), arrivedAt)';
  for (const access of shards) {
    const sql = `SELECT count(), toString(sum(${hash})) FROM ${localTable} WHERE ${formatSpan(span)}`;
    const [row] = await queryRows(access, { sql, settings: countingSettings });
    const [count, hashes] = row as [number, string]; // an aggregate has one row
    entries += count;
    sum += BigInt(hashes);
  }
  return `${entries} entries (${BigInt.asUintN(64, sum).toString(16)})`;
}
