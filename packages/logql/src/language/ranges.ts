/** Parses the query of a range aggregation. Its range may come before or after the stages. */
import type { Cursor } from './cursor.ts';
import { readLabelFilter } from './labelFilters.ts';
import { readSelector, readStages } from './stages.ts';
import type { Conversion, LabelFilter, RangeAggregation, Stage, Unwrap } from './tree.ts';

type LogRange = Pick<RangeAggregation, 'query' | 'unwrap' | 'rangeNs' | 'offsetNs'>;

type Draft = { stages: Stage[]; unwrap: Unwrap | null; rangeNs: number | null; offsetNs: number };

export function readLogRange(cursor: Cursor): LogRange {
  const brackets = countBrackets(cursor);
  if (!cursor.is('{')) cursor.fail();
  const matchers = readSelector(cursor);
  const draft: Draft = { stages: [], unwrap: null, rangeNs: null, offsetNs: 0 };
  let open = brackets;
  readTail(cursor, draft);
  while (open > 0 && cursor.accept(')')) {
    open--;
    readTail(cursor, draft);
  }
  if (open > 0) cursor.expect(')');
  const { rangeNs, stages, ...rest } = draft;
  if (rangeNs === null) return cursor.fail();
  return { query: { kind: 'log', matchers, stages }, rangeNs, ...rest };
}

function countBrackets(cursor: Cursor): number {
  let brackets = 0;
  while (cursor.accept('(')) brackets++;
  return brackets;
}

/** Reads range and offset, stages, and `unwrap`, in any order that makes sense. */
function readTail(cursor: Cursor, draft: Draft): void {
  readSpan(cursor, draft);
  if (draft.unwrap === null) draft.stages.push(...readStages(cursor));
  if (draft.unwrap === null && cursor.is('|') && cursor.peek(1).kind === 'unwrap')
    draft.unwrap = readUnwrap(cursor);
  readSpan(cursor, draft);
}

function readSpan(cursor: Cursor, draft: Draft): void {
  if (draft.rangeNs !== null || !cursor.is('RANGE')) return;
  draft.rangeNs = cursor.take().value;
  if (!cursor.accept('offset')) return;
  const sign = cursor.accept('-');
  const { value } = cursor.expect('DURATION');
  draft.offsetNs = sign === null ? value : -value;
}

function readUnwrap(cursor: Cursor): Unwrap {
  cursor.expect('|');
  cursor.expect('unwrap');
  cursor.count();
  const conversion = cursor.accept('bytes', 'duration', 'duration_seconds');
  if (conversion !== null) cursor.expect('(');
  const label = cursor.expect('IDENTIFIER').text;
  if (conversion !== null) cursor.expect(')');
  const filters: LabelFilter[] = [];
  while (cursor.accept('|')) filters.push(readLabelFilter(cursor));
  // `accept` returns only these kinds.
  return { label, conversion: (conversion?.kind ?? null) as Conversion | null, filters };
}
