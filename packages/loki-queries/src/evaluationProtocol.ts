/** Messages between the main thread and the evaluation thread. */
import type { Grouping, Label, LogQuery, RangeAggregation, Series } from '@tapedeck/logql';
import type { MetricTask } from './metricEvaluation.ts';
import type { PackedOperand } from './packedOperand.ts';
import type { Join, WindowReading } from './windowSeries.ts';

/** Asks for the lines that match a query, or for the result of a metric query. */
export type EvaluationTask = { kind: 'lines'; query: LogQuery } | ({ kind: 'metric' } & MetricTask);

export type EvaluationMessage =
  | { kind: 'open'; task: EvaluationTask }
  | { kind: 'lines'; packed: string }
  /** The next lines are those of this range. */
  | { kind: 'sample'; range: RangeAggregation; grouping: Grouping | null }
  | { kind: 'windows'; packed: string; reading: WindowReading }
  | { kind: 'series'; series: readonly Series[] }
  | { kind: 'keep'; place: number; join: Join | null }
  | { kind: 'finish' };

/** A line with the origin of its labels. */
export type EvaluatedLine = {
  readonly micros: number;
  readonly text: string;
  readonly stream: readonly Label[];
  readonly metadata: readonly Label[];
  readonly parsed: readonly Label[];
};

export type EvaluationAnswer =
  | { kind: 'opened' }
  | { kind: 'lines'; lines: EvaluatedLine[] }
  | { kind: 'kept'; isKept: boolean }
  | { kind: 'operand'; packed: PackedOperand };

export type EvaluationReply =
  | EvaluationAnswer
  | { kind: 'refused'; sentence: string }
  | { kind: 'bug'; error: unknown };
