/** Describes mistakes in a query as Loki does, with a position if Loki gives one. */
import { Failure } from '@tapedeck/values/failure';

/** Codes of `LogqlMistake`s. */
export const logqlCodes = ['query_invalid'] as const;

/** Lines and columns count from one. Loki reports line 0 for tokens that it composes itself. */
export type Place = { line: number; column: number };

const nowhere: Place = { line: 0, column: 0 };

/** A mistake in the query itself, so it has no answer. */
export class LogqlMistake extends Failure<(typeof logqlCodes)[number]> {
  constructor(sentence: string) {
    super('query_invalid', sentence, { field: 'query' });
  }
}

/** Creates the mistake for a text that is not a query. */
export function parseMistake(sentence: string, { line, column }: Place = nowhere): LogqlMistake {
  const place = line === 0 && column === 0 ? ' ' : ` at line ${line}, col ${column}`;
  return new LogqlMistake(`parse error${place}: ${sentence}`);
}

/** Prefixes mistakes with the part of the query that they are in. Calls `part` only for a mistake. */
export function explainMistakes(part: () => string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof LogqlMistake)) throw error;
    throw parseMistake(part() + error.message.replace(/^parse error : /, ''));
  }
}
