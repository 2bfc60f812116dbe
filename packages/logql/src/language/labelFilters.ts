/** Parses label filters: by text, number, duration, size or network, joined by `and` and `or`. */
import { compileExpression } from '../expressions.ts';
import type { Cursor } from './cursor.ts';
import type { CompareOperator, LabelFilter, Matcher, MatchOperator } from './tree.ts';

const matchOperators: readonly string[] = ['=', '=~', '!~', '!='];
const compareSigns: readonly string[] = ['==', '!=', '>', '>=', '<', '<=', '='];

export function readMatcher(cursor: Cursor): Matcher {
  const name = cursor.expect('IDENTIFIER').text;
  // `expect` accepts only these kinds.
  const operator = cursor.expect(...matchOperators).kind as MatchOperator;
  return readValue(cursor, name, operator);
}

function readValue(cursor: Cursor, name: string, operator: MatchOperator): Matcher {
  const token = cursor.expect('STRING');
  const { text: value } = token;
  cursor.search(value);
  if (operator === '=~' || operator === '!~') {
    cursor.weigh(token);
    compileExpression(value);
  }
  return { name, operator, value };
}

export function readLabelFilter(cursor: Cursor): LabelFilter {
  return cursor.nest(() => readDisjunction(cursor));
}

function readDisjunction(cursor: Cursor): LabelFilter {
  let left = readConjunction(cursor);
  for (; cursor.accept('or'); cursor.join()) left = { kind: 'or', left, right: readConjunction(cursor) };
  return left;
}

function readConjunction(cursor: Cursor): LabelFilter {
  let left = readBeside(cursor);
  for (; cursor.accept('and'); cursor.join()) left = { kind: 'and', left, right: readBeside(cursor) };
  return left;
}

/** Like Loki's grammar, groups everything after a comma or a missing operator: `a, b or c` is `a, (b or c)`. */
function readBeside(cursor: Cursor): LabelFilter {
  const left = readSingle(cursor);
  if (cursor.accept(',') === null && !cursor.is('IDENTIFIER', '(')) return left;
  cursor.join();
  return { kind: 'and', left, right: readDisjunction(cursor) };
}

function readSingle(cursor: Cursor): LabelFilter {
  if (cursor.accept('(')) {
    const inner = readLabelFilter(cursor);
    if (cursor.accept(')') === null) cursor.fail(); // too many tokens would fit to list them
    return inner;
  }
  const name = cursor.expect('IDENTIFIER').text;
  const operator = cursor.accept(...matchOperators, ...compareSigns)?.kind ?? cursor.fail();
  if (cursor.is('STRING') && matchOperators.includes(operator)) {
    // The condition above checks the operator.
    return { kind: 'match', matcher: readValue(cursor, name, operator as MatchOperator) };
  }
  cursor.count();
  if (cursor.is('ip') && (operator === '=' || operator === '!=')) return readNetwork(cursor, name, operator);
  if (!compareSigns.includes(operator)) cursor.fail(['STRING']);
  return readComparison(cursor, name, operator === '=' ? '==' : (operator as CompareOperator)); // checked above
}

function readNetwork(cursor: Cursor, name: string, operator: string): LabelFilter {
  cursor.take();
  cursor.expect('(');
  const network = cursor.expect('STRING').text;
  cursor.expect(')');
  return { kind: 'network', name, isNegated: operator === '!=', network };
}

function readComparison(cursor: Cursor, name: string, operator: CompareOperator): LabelFilter {
  const sign = cursor.accept('+', '-');
  if (sign !== null) {
    const { value } = cursor.expect('NUMBER');
    return { kind: 'number', name, operator, value: sign.kind === '-' ? -value : value };
  }
  const { kind, value } = cursor.expect('BYTES', 'NUMBER', 'DURATION', '+', '-');
  return {
    kind: kind === 'BYTES' ? 'size' : kind === 'NUMBER' ? 'number' : 'duration',
    name,
    operator,
    value,
  };
}
