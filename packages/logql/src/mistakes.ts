/** Describes mistakes in a query as Loki does, with their position where Loki gives it. */
import { Failure } from '@tapedeck/values/failure';

/** Codes of `LogqlMistake`s. */
export const logqlCodes = ['query_invalid'] as const;

/** Lines and columns count from one; a line of 0 is what Loki says of tokens it composes itself. */
export type Place = { line: number; column: number };

const nowhere: Place = { line: 0, column: 0 };

/** A query that cannot be answered for a reason in the query itself. */
export class LogqlMistake extends Failure<(typeof logqlCodes)[number]> {
  constructor(sentence: string) {
    super('query_invalid', sentence, { field: 'query' });
  }
}

/** A text that is no query. */
export function parseMistake(sentence: string, { line, column }: Place = nowhere): LogqlMistake {
  const place = line === 0 && column === 0 ? ' ' : ` at line ${line}, col ${column}`;
  return new LogqlMistake(`parse error${place}: ${sentence}`);
}

/** Says before a mistake what it is part of, which is spelled out only then. */
export function explainMistakes(part: () => string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof LogqlMistake)) throw error;
    throw parseMistake(part() + error.message.replace(/^parse error : /, ''));
  }
}
