/** Lists labels, their values, and streams. The lists are exact, not sampled. */

import type { LogField, LogFilter } from '@tapedeck/log-entries';
import { type Label, LogqlMistake, type Matcher } from '@tapedeck/logql';
import { composeSelector } from './labelConditions.ts';
import { openLabelFields } from './labelFields.ts';
import { nameMetadata, streamFields, streamLabels, unknownService } from './lineLabels.ts';
import type { LokiDeps } from './lists.ts';

type LabelQuestion = { scope: LogFilter; matchers: readonly Matcher[] };

const labelsMax = 500; // CONTRACT.md, 9.2: the limit for lists of fields
const valuesMax = 5_000; // per label, the same as lines in a list
const streamsMax = 5_000; // the same as lines in Loki's lists

async function select(
  deps: LokiDeps,
  { scope, matchers }: LabelQuestion,
  signal: AbortSignal,
): Promise<LogFilter> {
  const condition = await composeSelector(matchers, openLabelFields(deps, scope, signal));
  return { ...scope, condition };
}

/** Lists label names alphabetically: stream labels, and metadata paths in label spelling. */
export async function findLabelNames(
  deps: LokiDeps,
  question: LabelQuestion,
  signal: AbortSignal,
): Promise<string[]> {
  const filter = await select(deps, question, signal);
  const uses = await deps.logQueries.findFields(filter, { prefix: '', limit: labelsMax }, signal);
  if (uses.length === 0) return [];
  const paths = uses.flatMap(({ field }) => (field.kind === 'metadata' ? [nameMetadata(field.path)] : []));
  const names = new Set([...streamLabels, ...paths]);
  return [...names].slice(0, labelsMax).sort();
}

/** Lists the values of a label alphabetically. Throws if there are too many. */
export async function findLabelValues(
  deps: LokiDeps,
  question: LabelQuestion & { label: string },
  signal: AbortSignal,
): Promise<string[]> {
  const values = await findCommonValues(deps, question, signal);
  if (values.length > valuesMax)
    throw new LogqlMistake(
      `the label ${question.label} has more than ${valuesMax} values; narrow the query or the time`,
    );
  return values;
}

/** Finds the most frequent values, sorted alphabetically. Returns one more than the limit if there are too many. */
export async function findCommonValues(
  deps: LokiDeps,
  question: LabelQuestion & { label: string },
  signal: AbortSignal,
): Promise<string[]> {
  const filter = await select(deps, question, signal);
  const fields = await openLabelFields(deps, question.scope, signal).find(question.label);
  const counted = await Promise.all(
    fields.map(async field => {
      const values = await deps.logQueries.countValues(
        filter,
        { field, prefix: '', limit: valuesMax + 2 }, // they may include the empty value
        signal,
      );
      return values.map(({ value }) => presentValue(field, value));
    }),
  );
  return [...new Set(counted.flat())].filter(value => value !== '').sort();
}

function presentValue(field: LogField, value: string): string {
  return field.kind === 'resource' && value === '' ? unknownService : value;
}

/** Lists the combinations of service, level and dataset that occur. */
export async function findStreams(
  deps: LokiDeps,
  question: LabelQuestion,
  signal: AbortSignal,
): Promise<Label[][]> {
  const filter = await select(deps, question, signal);
  const { fromMicros, toMicros } = filter;
  const rangeMicros = (toMicros ?? 0) - (fromMicros ?? 0) + 1;
  if (rangeMicros <= 0) return [];
  const windows = { firstMicros: toMicros ?? 0, stepMicros: rangeMicros, rangeMicros, count: 1 };
  const found = await deps.logQueries.findWindows(
    filter,
    { windows, by: streamFields, apart: null, measure: { statistic: 'count' }, pointsMax: streamsMax + 1 },
    signal,
  );
  if (found === null)
    throw new LogqlMistake(`more than ${streamsMax} streams match; narrow the selector or the time`);
  return found
    .map(({ values: [resource = '', level = '', dataset = ''] }): Label[] => [
      ['service_name', resource === '' ? unknownService : resource],
      ['level', level],
      ['dataset', dataset],
    ])
    .map(labels => ({ labels, key: JSON.stringify(labels) }))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ labels }) => labels);
}
