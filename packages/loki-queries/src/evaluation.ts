/** Evaluates a query over lines and windows as they come. Runs in a worker thread. */

import type { SplitWindows } from '@tapedeck/log-entries';
import { compilePipeline, type Line, type LogQuery, LogqlMistake } from '@tapedeck/logql';
import type {
  EvaluatedLine,
  EvaluationAnswer,
  EvaluationMessage,
  EvaluationReply,
  EvaluationTask,
} from './evaluationProtocol.ts';
import { aliases, unpackLines } from './lineLabels.ts';
import { MetricEvaluation } from './metricEvaluation.ts';
import { packOperand } from './packedOperand.ts';

type Message = Exclude<EvaluationMessage, { kind: 'open' }>;

type Evaluation = (message: Message) => EvaluationAnswer;

const opened: EvaluationAnswer = { kind: 'opened' };

export function openEvaluation(task: EvaluationTask): Evaluation {
  if (task.kind === 'metric') {
    const evaluation = new MetricEvaluation(task);
    return message => evaluateNumbers(evaluation, message);
  }
  const evaluate = openLines(task.query);
  return message => ({
    kind: 'lines',
    lines: message.kind === 'lines' ? evaluate(unpackLines(message.packed)) : [],
  });
}

function openLines({ stages }: LogQuery): (lines: readonly Line[]) => EvaluatedLine[] {
  const pipeline = compilePipeline(stages, { aliases, required: null });
  return lines =>
    lines.flatMap((line): EvaluatedLine[] => {
      const found = pipeline(line);
      if (found === null) return [];
      const { text, labels } = found;
      const list = (category: 'stream' | 'metadata' | 'parsed') => labels.list(category);
      return [
        {
          micros: line.micros,
          text,
          stream: list('stream'),
          metadata: list('metadata'),
          parsed: list('parsed'),
        },
      ];
    });
}

function evaluateNumbers(evaluation: MetricEvaluation, message: Message): EvaluationAnswer {
  switch (message.kind) {
    case 'sample':
      evaluation.beginSampling(message.range, message.grouping);
      return opened;
    case 'lines':
      evaluation.takeLines(unpackLines(message.packed));
      return opened;
    case 'windows':
      // The main thread writes rows of this type.
      evaluation.takeWindows(JSON.parse(message.packed) as SplitWindows[], message.reading);
      return opened;
    case 'series':
      evaluation.takeSeries(message.series);
      return opened;
    case 'keep':
      return { kind: 'kept', isKept: evaluation.keep(message.place, message.join) };
    case 'finish':
      return { kind: 'operand', packed: packOperand(evaluation.compute()) };
  }
}

/** Errors that the query causes become sentences. */
export function evaluationAnswers(answer: () => EvaluationAnswer): EvaluationReply {
  try {
    return answer();
  } catch (error) {
    if (error instanceof LogqlMistake) return { kind: 'refused', sentence: error.message };
    return { kind: 'bug', error };
  }
}
