/** Streams counts of matches by time, in order, for any number of matches. */
import type { LogField, LogFilter } from '@tapedeck/log-entries';
import { Binder, describeTimeout } from '../writer/engine/statements.ts';
import { formatMatches } from './conditions.ts';
import type { CountDeps } from './counts.ts';
import { nameExpensiveTerms } from './expensiveTerms.ts';
import type { TimedCount } from './logQueries.ts';
import { logQueryTimeMsMax, queryStream } from './queryRunner.ts';
import { formatValue } from './series.ts';

type TalliesRequest = {
  intervalMs: number;
  by: { field: LogField; values: readonly string[] | null } | null;
  signal: AbortSignal;
};

const groupsShare = 0.3; // of a query's memory; beyond it, the engine puts groups on disk
const valueCharactersMax = 256; // longer values are cut, and may then be equal

export async function* streamTallies(
  deps: CountDeps,
  filter: LogFilter,
  request: TalliesRequest,
): AsyncGenerator<TimedCount[]> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(describeTimeout()), logQueryTimeMsMax);
  const signal = AbortSignal.any([request.signal, deadline.signal]);
  const binder = new Binder();
  const sql = formatTallies(deps.table, filter, { ...request, binder });
  const settings = {
    max_execution_time: logQueryTimeMsMax / 1000,
    max_bytes_before_external_group_by: Math.floor(deps.runner.memoryBytesMax * groupsShare),
  };
  const statement = { sql, parameters: binder.parameters, settings };
  try {
    for await (const rows of queryStream(deps.runner, { weight: 'heavy', signal }, statement))
      yield (rows as [number, string, number][]).map(([ms, value, count]) => ({ ms, value, count })); // matches the SELECT
  } catch (error) {
    throw nameExpensiveTerms(error, filter.condition);
  } finally {
    clearTimeout(timer);
  }
}

function formatTallies(
  table: string,
  filter: LogFilter,
  { intervalMs, by, binder }: Omit<TalliesRequest, 'signal'> & { binder: Binder },
): string {
  const interval = binder.bind('Int64', intervalMs);
  const split = by && formatValue(by.field, binder);
  const value = split === null ? "''" : `leftUTF8(${split.value}, ${valueCharactersMax})`;
  const conditions = [
    formatMatches({ table }, filter, binder),
    ...(split === null ? [] : [split.isPresent]),
    ...(by === null || by.values === null ? [] : [`${value} IN ${binder.bindTexts(by.values)}`]),
  ];
  return `SELECT intDiv(toUnixTimestamp64Milli(timestamp), ${interval}) * ${interval} AS ms, ${value} AS text, count()
    FROM ${conditions.join(' AND ')} GROUP BY ms, text ORDER BY ms, text`;
}
