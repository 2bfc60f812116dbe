/** Validates queries beyond the grammar. */
import { type LogqlMistake, parseMistake } from '../mistakes.ts';
import { compileMatcher } from '../pipeline/filters.ts';
import type { Matcher, MetricQuery, RangeAggregation, VectorAggregation } from './tree.ts';

const grouped = ['avg', 'stddev', 'stdvar', 'quantile', 'max', 'min', 'first', 'last'];
const ofLines = ['count_over_time', 'bytes_over_time', 'bytes_rate'];
const ofEither = ['rate', 'absent_over_time'];

const notSelective =
  'queries require at least one regexp or equality matcher that does not have an empty-compatible value. ' +
  'For instance, app=~".*" does not meet this requirement, but app=~".+" will';

/** Throws unless at least one matcher excludes entries without its label. */
export function requireSelective(matchers: readonly Matcher[]): void {
  if (matchers.every(matcher => compileMatcher(matcher)(''))) throw parseMistake(notSelective);
}

export function validateRange(range: RangeAggregation): RangeAggregation {
  const { operation, parameter, unwrap, grouping } = range;
  if (grouping !== null && !grouped.includes(operation.replace('_over_time', '')))
    throw parseMistake(`grouping not allowed for ${operation} aggregation`);
  if (operation === 'quantile_over_time' && parameter === null)
    throw parseMistake(`parameter required for operation ${operation}`);
  if (operation !== 'quantile_over_time' && parameter !== null)
    throw parseMistake(`parameter ${parameter} not supported for operation ${operation}`);
  if (unwrap !== null && ofLines.includes(operation))
    throw parseMistake(`invalid aggregation ${operation} with unwrap`);
  if (unwrap === null && !ofLines.includes(operation) && !ofEither.includes(operation))
    throw parseMistake(`invalid aggregation ${operation} without unwrap`);
  return range;
}

export function validateVector(vector: VectorAggregation, parameter: string | null): VectorAggregation {
  const { operation, grouping } = vector;
  const takesNumber = ['topk', 'bottomk', 'approx_topk'].includes(operation);
  if (!takesNumber) {
    if (parameter !== null)
      throw parseMistake(`unsupported parameter for operation ${operation}(${parameter},`);
    if (operation.startsWith('sort') && grouping !== null && grouping.labels.length > 0)
      throw parseMistake("sort and sort_desc doesn't allow grouping by ");
    return vector;
  }
  if (parameter === null) throw parseMistake(`parameter required for operation ${operation}`);
  if (!/^\d+$/.test(parameter)) throw parseMistake(`invalid parameter ${operation}(${parameter},`);
  if (Number(parameter) <= 0) throw describeTooSmall(operation, parameter);
  if (operation === 'approx_topk' && grouping !== null)
    throw parseMistake(`grouping not allowed for ${operation} aggregation`);
  return { ...vector, parameter: Number(parameter) };
}

function describeTooSmall(operation: string, parameter: string): LogqlMistake {
  return parseMistake(`invalid parameter (must be greater than 0) ${operation}(${parameter}`);
}

export function validateMetric(query: MetricQuery): void {
  switch (query.kind) {
    case 'range':
      requireSelective(query.query.matchers);
      break;
    case 'vectorAggregation':
    case 'labelReplace':
      validateMetric(query.operand);
      break;
    case 'binary':
      validateMetric(query.left);
      validateMetric(query.right);
  }
}
