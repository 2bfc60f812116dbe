/** How much a query may ask for: each of its parts costs whoever answers it something, however short it is. */
import { parseMistake } from '../mistakes.ts';
import type {
  Grouping,
  LabelFilter,
  LogQuery,
  LogqlQuery,
  MetricQuery,
  RangeAggregation,
  Stage,
} from './tree.ts';

const partsMax = 250; // the store takes some three hundred conditions, and a second for them

/** Parts are matchers, stages, texts that are looked for, comparisons, extractions, and labels that are named. */
export function requireFewParts(query: LogqlQuery): void {
  const parts = query.kind === 'log' ? countLog(query) : countMetric(query);
  if (parts > partsMax)
    throw parseMistake(
      `a query holds at most ${partsMax} matchers, stages, alternatives and labels; this one has ${parts}`,
    );
}

function countLog({ matchers, stages }: LogQuery): number {
  return matchers.length + addUp(stages.map(countStage));
}

function countStage(stage: Stage): number {
  switch (stage.kind) {
    case 'lineFilter':
      return addUp(
        stage.alternatives.map(({ text }) => (stage.operator.endsWith('>') ? countTexts(text) : 1)),
      );
    case 'json':
    case 'logfmt':
      return 1 + stage.extractions.length;
    case 'labelFilter':
      return countFilter(stage.filter);
    case 'labelFormat':
      return stage.formats.length;
    case 'drop':
    case 'keep':
      return stage.labels.length;
    default:
      return 1;
  }
}

/** The texts of a pattern, of which each is looked for. */
function countTexts(pattern: string): number {
  return pattern.split('<_>').length;
}

function countFilter(filter: LabelFilter): number {
  return filter.kind === 'and' || filter.kind === 'or'
    ? countFilter(filter.left) + countFilter(filter.right)
    : 1;
}

function countMetric(query: MetricQuery): number {
  switch (query.kind) {
    case 'range':
      return countRange(query);
    case 'vectorAggregation':
      return countGrouping(query.grouping) + countMetric(query.operand);
    case 'labelReplace':
      return 1 + countMetric(query.operand);
    case 'binary': {
      const { on, include } = query.matching;
      return countMetric(query.left) + countMetric(query.right) + (on?.labels.length ?? 0) + include.length;
    }
    default:
      return 0;
  }
}

function countRange({ query, unwrap, grouping }: RangeAggregation): number {
  const unwrapped = unwrap === null ? 0 : 1 + addUp(unwrap.filters.map(countFilter));
  return countLog(query) + unwrapped + countGrouping(grouping);
}

function countGrouping(grouping: Grouping | null): number {
  return grouping?.labels.length ?? 0;
}

function addUp(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
