/** A filter becomes the conditions of a statement. */
import { type LogFilter, type LogOrder, parseTraceId } from '@tapedeck/log-entries';
import type { Condition } from '@tapedeck/log-query-language';
import { type Binder, bindMicros, microsMin } from './binder.ts';
import { formatTerm, joinAll, joinAny, type TermPlace } from './terms.ts';

const hintsValuesMax = 300; // the engine takes 1,000 values with a question, settings included

export function formatConditions(filter: LogFilter, binder: Binder): string {
  const conditions = [
    `project = ${binder.bind('String', filter.project)}`,
    ...formatDatasets(filter.datasets, binder),
    ...formatTimes(filter, binder),
    ...formatCondition(filter.condition, { binder, mayHint: true }),
  ];
  return conditions.join(' AND ');
}

/** All of them must hold. */
function formatCondition(condition: Condition, place: TermPlace): string[] {
  const { binder } = place;
  switch (condition.kind) {
    case 'and':
      return condition.trees.flatMap(tree => formatCondition(tree, place));
    case 'or':
      return [joinAny(condition.trees.map(tree => joinAll(formatCondition(tree, place))))];
    case 'not':
      return [`NOT (${joinAll(formatCondition(condition.tree, { binder, mayHint: false }))})`];
    default:
      return formatTerm(condition, { binder, mayHint: place.mayHint && binder.count < hintsValuesMax });
  }
}

/** True when nothing narrows the question but what the key of the table is made of: project, dataset and time. */
export function asksByKeyAlone({ condition }: LogFilter): boolean {
  return condition.kind === 'everything';
}

/** Entries that follow a place in the order; the first half of the condition is for the primary key. */
export function formatAfter(traceId: string, order: LogOrder, binder: Binder): string {
  const halves = parseTraceId(traceId);
  if (halves === null) return '0';
  const [atMost, less] = order === 'desc' ? ['<=', '<'] : ['>=', '>'];
  const time = bindMicros(halves.timestampMicros, binder);
  const identity = binder.bind('UInt64', BigInt(`0x${halves.identity}`).toString());
  return `timestamp ${atMost} ${time} AND (timestamp ${less} ${time} OR identity ${less} ${identity})`;
}

export function formatDatasets(datasets: readonly string[] | null, binder: Binder): string[] {
  if (datasets === null) return [];
  const [only] = datasets;
  // Equality lets the engine read in the order of the key.
  if (datasets.length === 1 && only !== undefined) return [`dataset = ${binder.bind('String', only)}`];
  return datasets.length === 0 ? ['0'] : [`dataset IN ${binder.bindWords(datasets)}`];
}

function formatTimes({ fromMicros, toMicros }: LogFilter, binder: Binder): string[] {
  return [
    ...(fromMicros === null ? [] : [`timestamp >= ${bindMicros(fromMicros, binder)}`]),
    ...(toMicros === null
      ? []
      : toMicros < microsMin
        ? ['0']
        : [`timestamp <= ${bindMicros(toMicros, binder)}`]),
  ];
}
