/** The tool that follows numbers over time. */

import { readSpanMs } from '@tapedeck/domain/instants';
import { drawSeries, listStarts } from '@tapedeck/domain/logs/search/series';
import { invalidFieldError } from '@tapedeck/domain/vocabulary';
import { formatMicros } from '@tapedeck/log-entries';
import Type from 'typebox';
import { composeAnswer, cutText, fitRows, rowsMax } from './dataText.ts';
import { describeNow, readFilter } from './logFilterArguments.ts';
import { defineTool, limitOf, logQuestion } from './tool.ts';

const limitDefault = 24;
const nameCharactersMax = 100;

export const logSeries = defineTool({
  name: 'log_series',
  title: 'Follow log entries over time',
  description:
    'Counts entries per time bucket, or computes a number from a field. Shows when something began or how slow it was. With "by" there is one number for each value of a field.',
  kind: 'logs',
  input: Type.Object({
    ...logQuestion,
    limit: limitOf('How many buckets', limitDefault, rowsMax),
    interval: Type.Optional(
      Type.String({ description: 'Length of a bucket, such as 30s, 5m, 1h or 1d. Use it instead of limit.' }),
    ),
    by: Type.Optional(
      Type.String({ description: 'level, resource, dataset, pattern, or a path of metadata, such as map.' }),
    ),
    top: limitOf('With by, for how many values', 8, 20),
    stat: Type.Optional(
      Type.Enum(['count', 'unique', 'min', 'max', 'avg', 'sum', 'p50', 'p95', 'p99'], {
        description: 'count (the default), or unique, min, max, avg, sum, p50, p95 or p99 of field.',
      }),
    ),
    field: Type.Optional(
      Type.String({ description: 'The field to compute stat from: a metadata path, such as ms.' }),
    ),
  }),
  run: async (deps, given, call) => {
    const filter = readFilter(deps, call, given);
    const { limit = limitDefault, interval, by = '', top, stat: statistic, field = '' } = given;
    const buckets =
      interval === undefined || interval === ''
        ? { count: Math.min(limit, rowsMax) }
        : { intervalMs: readInterval(interval) };
    const asked = { buckets, by, top, statistic, field };
    const { buckets: drawn, series } = await drawSeries(deps, { filter, asked }, call.signal);
    const starts = listStarts(drawn);
    const rows = starts.map((startMicros, index) => {
      const time = formatMicros(startMicros);
      if (by === '') return { time, value: series[0]?.points[index] ?? null };
      const values = series
        .filter(({ value }) => value !== null)
        .map(({ value, points }) => [cutText(value ?? '', nameCharactersMax), points[index] ?? null]);
      const rest = series.find(({ value }) => value === null);
      return { time, values: Object.fromEntries(values), ...(rest && { rest: rest.points[index] ?? null }) };
    });
    const lines = fitRows(rows);
    return composeAnswer(
      [describeNow(deps), ...describeRows(rows, lines.length, drawn?.intervalMicros)],
      lines,
    );
  },
});

function describeRows(rows: readonly { time: string }[], shown: number, intervalMicros = 0): string[] {
  if (rows.length === 0) return ['Nothing matches. Widen the time range or the query.'];
  const sentences = [
    `Each line is a bucket of ${intervalMicros / 1e6} s, by its start; "rest" counts entries with other values or none.`,
  ];
  const next = rows[shown];
  if (next !== undefined)
    sentences.push(
      `${rows.length - shown} later buckets are left out: ask again with from ${next.time}, or with a longer interval.`,
    );
  return sentences;
}

function readInterval(text: string): number {
  const intervalMs = readSpanMs(text) ?? 0;
  if (intervalMs > 0) return intervalMs;
  throw invalidFieldError('interval', 'interval must be a span such as 30s, 5m, 1h or 1d.');
}
