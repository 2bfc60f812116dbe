/** Makes the server fail queries that touch too few rows, so that the client need not check before it commits. */
import type { CompiledQuery, QueryResult } from 'kysely';
import type { BatchQuery } from '../database.ts';
import { BatchRefused } from '../failures.ts';

type Guarded = { query: CompiledQuery; isGuarded: boolean };

const divisionByZero = '22012'; // PostgreSQL's manual, appendix A

/** Statements that return rows can't be wrapped. */
export function compileGuarded({ query, rowsMin }: BatchQuery): Guarded {
  const compiled = query.compile();
  if (rowsMin === undefined || !touchesOnly(compiled)) return { query: compiled, isGuarded: false };
  const enough = `(count(*) >= ${rowsMin})::int`;
  const sql = `with touched as (${compiled.sql} returning 1) select count(*) as touched, 1 / ${enough} from touched`;
  return { query: { ...compiled, sql }, isGuarded: true };
}

function touchesOnly({ query }: CompiledQuery): boolean {
  const isChange =
    query.kind === 'UpdateQueryNode' || query.kind === 'DeleteQueryNode' || query.kind === 'InsertQueryNode';
  return isChange && query.returning === undefined;
}

/** Removes the guard from the result, so that the caller sees what it asked for. */
export async function readGuarded(
  answer: Promise<QueryResult<unknown>>,
  index: number,
): Promise<QueryResult<unknown>> {
  try {
    const { rows } = await answer;
    const [row] = rows as { touched: number }[]; // the type that the guard selects
    return { rows: [], numAffectedRows: BigInt(row?.touched ?? 0) };
  } catch (error) {
    const isGuard = error instanceof Error && 'code' in error && error.code === divisionByZero;
    throw isGuard ? new BatchRefused(index) : error;
  }
}
