/** Messages between the main thread and the evaluation thread. */
import type {
  Grouping,
  Label,
  LogQuery,
  RangeAggregation,
  RangeLimits,
  Series,
  Steps,
} from '@tapedeck/logql';

/** Asks for the lines that match a query, or for the series of a range aggregation. */
export type EvaluationTask =
  | { kind: 'lines'; query: LogQuery }
  | {
      kind: 'samples';
      range: RangeAggregation;
      grouping: Grouping | null;
      steps: Steps;
      limits: RangeLimits;
    };

export type EvaluationMessage =
  | { kind: 'open'; task: EvaluationTask }
  | { kind: 'lines'; packed: string }
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
  | { kind: 'series'; series: Series[] };

export type EvaluationReply =
  | EvaluationAnswer
  | { kind: 'refused'; sentence: string }
  | { kind: 'bug'; error: unknown };
