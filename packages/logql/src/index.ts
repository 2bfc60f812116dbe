/** LogQL: parses queries, and evaluates lines, samples and series. */
export { anchor, compileExpression, type Expression, writeForStore } from './expressions.ts';
export { weighExpression } from './expressionWeights.ts';
export {
  detailsLabel,
  duplicateSuffix,
  errorLabel,
  type Label,
  LabelSet,
  type Line,
} from './labels/labelSet.ts';
export { sanitizeName } from './labels/names.ts';
export {
  formatGoDuration,
  parseDuration,
  parseGoDuration,
  parsePrometheusDuration,
  spanNsMax,
  toSeconds,
} from './language/durations.ts';
export { parseJsonPath, parseLogfmtKey } from './language/jsonPaths.ts';
export { parseForPrinting, parseLogql, parseSelector } from './language/parser.ts';
export { formatLogql, printSelector } from './language/printer.ts';
export { parseSize } from './language/sizes.ts';
export {
  type BinaryOperation,
  type ChosenLabel,
  type CompareOperator,
  type Conversion,
  type Extraction,
  type Grouping,
  type LabelFilter,
  type LabelFormat,
  type LineFilter,
  type LogQuery,
  type LogqlQuery,
  listRanges,
  listSought,
  type Matcher,
  type MetricQuery,
  type RangeAggregation,
  type RangeOperation,
  type Stage,
  type Unwrap,
  type VectorAggregation,
} from './language/tree.ts';
export type { Operand } from './metrics/binary.ts';
export { evaluateMetric } from './metrics/evaluation.ts';
export {
  invertPresence,
  listWindows,
  RangeCollection,
  type RangeLimits,
  tooManyPoints,
  tooManySeries,
} from './metrics/rangeCollection.ts';
export { compileSampler, listGroupedRanges, omitUnused, type Sampler } from './metrics/sampling.ts';
export {
  chooseLabels,
  compareLabels,
  formatLabels,
  keyOfLabels,
  type Series,
  type Steps,
  sortLabels,
} from './metrics/series.ts';
export { TooManyRead } from './metrics/workLimits.ts';
export { LogqlMistake, logqlCodes, parseMistake } from './mistakes.ts';
export { compileMatcher } from './pipeline/filters.ts';
export { listJsonPaths } from './pipeline/jsonMembers.ts';
export { convertFilterMatcher } from './pipeline/labelExpressions.ts';
export { compileLinePattern, compileParserPattern, type PatternPiece } from './pipeline/linePatterns.ts';
export { parseGoFloat } from './pipeline/numbers.ts';
export { compilePipeline, listFilterLabels, type Pipeline, type Processed } from './pipeline/pipeline.ts';
export { compileTemplate } from './templates/template.ts';
