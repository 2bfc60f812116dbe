/** Evaluates a query over lines as they come. Runs in a worker thread. */
import { compilePipeline, compileSampler, type Line, LogqlMistake, RangeCollection } from '@tapedeck/logql';
import type {
  EvaluatedLine,
  EvaluationAnswer,
  EvaluationReply,
  EvaluationTask,
} from './evaluationProtocol.ts';
import { aliases } from './lineLabels.ts';

type Evaluation = { take(lines: readonly Line[]): EvaluationAnswer; finish(): EvaluationAnswer };

export function openEvaluation(task: EvaluationTask): Evaluation {
  if (task.kind === 'lines') {
    const pipeline = compilePipeline(task.query.stages, { aliases, required: null });
    return {
      take: lines => ({
        kind: 'lines',
        lines: lines.flatMap((line): EvaluatedLine[] => {
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
        }),
      }),
      finish: () => ({ kind: 'lines', lines: [] }),
    };
  }
  const { range, grouping, steps, limits } = task;
  const sample = compileSampler(range, { aliases, grouping });
  const collection = new RangeCollection(range, limits);
  return {
    take: lines => {
      for (const line of lines) {
        const found = sample(line);
        if (found !== null) collection.add(found.labels, { micros: line.micros, value: found.value });
      }
      return { kind: 'opened' };
    },
    finish: () => ({ kind: 'series', series: collection.compute(steps) }),
  };
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
