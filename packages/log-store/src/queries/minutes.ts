/**
 * Divides a query into whole minutes, for which parts keep counts, and the minutes that contain a border of the query. It reads
 * the entries of the latter.
 */
import type { LogBuckets, LogFilter } from '@tapedeck/log-entries';
import type { Condition } from '@tapedeck/log-query-language';
import { type Binder, bindMicros } from '../writer/engine/statements.ts';
import { countedMinute } from '../writer/schema/schema.ts';
import { formatConditions } from './conditions.ts';

const minuteMicros = 60_000_000;
/** The engine stores minutes as 32-bit seconds since 1970; no entry is outside their range. */
const minutesEndMicros = 2 ** 32 * 1_000_000 - 16_000_000;

/** Unix microseconds; the end is exclusive. */
type Span = { fromMicros: number; endMicros: number };

/** Conditions for entries, and the expression for an entry's bucket. Each entry meets the conditions of only one source. */
type Source = { conditions: string; bucket: string };

type Divided = {
  filter: LogFilter;
  /** The intervals to count by; a single one if there are no intervals. */
  buckets: LogBuckets;
};

export function divideByMinutes({ filter, buckets }: Divided, binder: Binder): Source[] {
  const span = findSpan(filter, buckets);
  const { startMicros, intervalMicros } = buckets;
  const bucketOf = (micros: string) =>
    `toUInt16(intDiv(${micros} - ${binder.bind('Int64', startMicros)}, ${binder.bind('Int64', intervalMicros)}))`;
  const conditions = formatConditions({ ...filter, fromMicros: null, toMicros: null }, binder);
  const within = `timestamp >= ${bindMicros(span.fromMicros, binder)} AND timestamp < ${bindMicros(span.endMicros, binder)}`;
  const bucket = bucketOf('toUnixTimestamp64Micro(timestamp)');
  const cut = listCutMinutes(span, buckets);
  const minutes = (floorMinute(span.endMicros) - floorMinute(span.fromMicros)) / minuteMicros + 1;
  if (!isCounted(filter.condition) || cut.length * 2 > minutes)
    return [{ conditions: `${conditions} AND ${within}`, bucket }];
  const bindMinute = (micros: number) => `toDateTime(${binder.bind('UInt32', micros / 1e6)}, 'UTC')`;
  const minutesCut = binder.bind("Array(DateTime('UTC'))", `[${cut.map(micros => micros / 1e6).join()}]`);
  const isCut = `${countedMinute} IN ${minutesCut}`;
  const whole = [
    conditions,
    `${countedMinute} >= ${bindMinute(floorMinute(span.fromMicros))}`,
    `${countedMinute} < ${bindMinute(floorMinute(span.endMicros + minuteMicros - 1))}`,
    ...(cut.length === 0 ? [] : [`NOT (${isCut})`]),
  ];
  const counted = {
    conditions: whole.join(' AND '),
    bucket: bucketOf(`toUnixTimestamp(${countedMinute}) * 1000000`),
  };
  return cut.length === 0
    ? [counted]
    : [counted, { conditions: `${conditions} AND ${within} AND ${isCut}`, bucket }];
}

/** Finds the span of the matches within the buckets and the range of minutes. */
function findSpan(
  { fromMicros, toMicros }: LogFilter,
  { startMicros, intervalMicros, count }: LogBuckets,
): Span {
  const end = startMicros + intervalMicros * count;
  return {
    fromMicros: clamp(Math.max(startMicros, fromMicros ?? startMicros)),
    endMicros: clamp(Math.min(end, toMicros === null ? end : toMicros + 1)),
  };
}

function clamp(micros: number): number {
  return Math.min(Math.max(micros, 0), minutesEndMicros);
}

/** Lists the minutes that are not completely inside one bucket. */
function listCutMinutes({ fromMicros, endMicros }: Span, buckets: LogBuckets): number[] {
  const borders = [fromMicros, endMicros];
  for (let index = 1; index < buckets.count; index++)
    borders.push(buckets.startMicros + index * buckets.intervalMicros);
  const cut = borders
    .filter(border => border >= fromMicros && border <= endMicros && border % minuteMicros !== 0)
    .map(floorMinute);
  return [...new Set(cut)];
}

function floorMinute(micros: number): number {
  return Math.floor(micros / minuteMicros) * minuteMicros;
}

/** Whether the kept counts can evaluate the condition. */
function isCounted(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.trees.every(isCounted);
    case 'not':
      return isCounted(condition.tree);
    case 'field':
      return condition.field.kind === 'dataset' || condition.field.kind === 'pattern';
    default:
      return condition.kind === 'everything' || condition.kind === 'level';
  }
}
