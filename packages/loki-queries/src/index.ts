/** Answers LogQL queries from a log store: lines, metrics, labels, volumes, patterns, and tails. */
export { detectFields, detectLabels, detectValues } from './detection.ts';
export type { EvaluatedLine } from './evaluationProtocol.ts';
export { openEvaluationThreads } from './evaluationThreads.ts';
export { lokiCodes } from './failure.ts';
export { findLabelNames, findLabelValues, findStreams } from './labelLists.ts';
export { LineBudget } from './lineBudget.ts';
export { findLinePatterns } from './linePatterns.ts';
export { findLines, type LokiDeps } from './lists.ts';
export { computeMetric } from './metrics.ts';
export { planTail, TailEvaluation } from './tailing.ts';
export { countSelected, findVolumes, type VolumeQuestion } from './volumes.ts';
