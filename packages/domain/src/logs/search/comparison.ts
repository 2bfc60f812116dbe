/** Compares the values of all fields in two time spans. */
import { nameField } from '@tapedeck/log-query-language';
import type { LogFilter, LogSpan } from '../../ports/logQueries.ts';
import { invalidFieldError, limits } from '../../vocabulary.ts';
import { type LogSearchDeps, readBound } from './searchFilter.ts';

/** Instants; both inclusive. */
export type BaselineRequest = { from: string | undefined; to: string | undefined };

type ComparisonRequest = { baseline: BaselineRequest; limit: number | undefined };

type Compared = {
  entries: number;
  baselineEntries: number;
  compared: number;
  values: { field: string; value: string; entries: number; baselineEntries: number }[];
};

const dayMicros = 86_400_000_000;

/** The filter's times are the span. */
export async function compareSpans(
  { logQueries }: Pick<LogSearchDeps, 'logQueries'>,
  { filter, asked }: { filter: LogFilter; asked: ComparisonRequest },
  signal: AbortSignal,
): Promise<Compared> {
  const span = requireSpan(filter, { from: 'from', to: 'to' });
  const { from, to } = asked.baseline;
  const bounds = { fromMicros: readBound('baselineFrom', from), toMicros: readBound('baselineTo', to) };
  const baseline = requireSpan(bounds, { from: 'baselineFrom', to: 'baselineTo' });
  const both = {
    ...filter,
    fromMicros: Math.min(span.fromMicros, baseline.fromMicros),
    toMicros: Math.max(span.toMicros, baseline.toMicros),
  };
  const limit = Math.min(asked.limit ?? limits.logComparedDefault, limits.logComparedMax);
  const { values, ...totals } = await logQueries.compareSpans(both, { span, baseline, limit }, signal);
  return {
    ...totals,
    values: values.map(({ field, ...counted }) => ({ field: nameField(field), ...counted })),
  };
}

type Bounds = Pick<LogFilter, 'fromMicros' | 'toMicros'>;

function requireSpan({ fromMicros, toMicros }: Bounds, names: { from: string; to: string }): LogSpan {
  if (fromMicros === null) throw invalidFieldError(names.from, `${names.from} is missing.`);
  if (toMicros === null) throw invalidFieldError(names.to, `${names.to} is missing.`);
  if (fromMicros > toMicros)
    throw invalidFieldError(names.to, `${names.to} must not be earlier than ${names.from}.`);
  if (toMicros - fromMicros <= limits.logComparisonDaysMax * dayMicros) return { fromMicros, toMicros };
  throw invalidFieldError(
    names.to,
    `${names.to} must be at most ${limits.logComparisonDaysMax} days after ${names.from}.`,
  );
}
