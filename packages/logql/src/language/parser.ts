/** Parses a query for lines or for metrics. */
import { compileExpression } from '../expressions.ts';
import { combineLiterals } from '../metrics/arithmetic.ts';
import { LogqlMistake, parseMistake } from '../mistakes.ts';
import { Cursor } from './cursor.ts';
import { readLogRange } from './ranges.ts';
import { readSelector, readStages } from './stages.ts';
import { validateStages } from './stageValidation.ts';
import {
  type BinaryOperation,
  type BinaryOperator,
  type Grouping,
  type LabelReplacement,
  type LogQuery,
  type LogqlQuery,
  type Matcher,
  type MetricQuery,
  type RangeAggregation,
  type RangeOperation,
  rangeOperations,
  type VectorAggregation,
  type VectorOperation,
  vectorOperations,
} from './tree.ts';
import { requireSelective, validateMetric, validateRange, validateVector } from './validation.ts';

const isRangeWord = (kind: string): kind is RangeOperation =>
  rangeOperations.some(operation => operation === kind);
const isVectorWord = (kind: string): kind is VectorOperation =>
  vectorOperations.some(operation => operation === kind);

/** Throws a `LogqlMistake` that says what is wrong, and where. */
export function parseLogql(text: string): LogqlQuery {
  const query = parseUnjudged(text);
  if (query.kind === 'log') requireSelective(query.matchers);
  else validateMetric(query);
  validateStages(query);
  return query;
}

/** Checks only the grammar, for callers that print the query: it may match everything, and its stages may not compile. */
export function parseForPrinting(text: string): LogqlQuery {
  return parseUnjudged(text, false);
}

/** Parses a selector `{…}` without stages. It may match everything. */
export function parseSelector(text: string): readonly Matcher[] {
  const query = parseUnjudged(text);
  if (query.kind !== 'log' || query.stages.length > 0)
    throw new LogqlMistake('only label matchers are supported');
  return query.matchers;
}

function parseUnjudged(text: string, isBounded = true): LogqlQuery {
  const cursor = new Cursor(text, isBounded);
  const query = cursor.attempt(() => readWholeLog(cursor)) ?? readMetric(cursor, 0);
  if (query.kind === 'log' && cursor.is(...operatorsByStrength.flat())) refuseLines(cursor, query);
  if (cursor.is('|')) cursor.take(); // it could begin a stage, but the next token does not fit
  if (!cursor.is('$end')) cursor.fail();
  return query;
}

/** Rejects lines before an operator. Loki reports this only if the rest of the query is valid. */
function refuseLines(cursor: Cursor, lines: LogQuery): never {
  const operator = cursor.current.kind;
  while (cursor.accept(...operatorsByStrength.flat())) {
    readModifiers(cursor);
    if (cursor.attempt(() => readWholeLog(cursor)) === null) readMetric(cursor, 0);
  }
  if (!cursor.is('$end')) cursor.fail();
  throw wrongLeg('left', operator, lines);
}

/** Returns null if the brackets hold something else. */
function readWholeLog(cursor: Cursor): LogQuery | null {
  if (cursor.is('{')) return readLog(cursor);
  if (!cursor.accept('(')) return null;
  const query = cursor.nest(() => readWholeLog(cursor));
  return query !== null && cursor.accept(')') ? query : null;
}

function readLog(cursor: Cursor): LogQuery {
  const matchers = readSelector(cursor);
  return { kind: 'log', matchers, stages: readStages(cursor) };
}

/** By precedence, the strongest last. */
const operatorsByStrength: readonly (readonly string[])[] = [
  ['or'],
  ['and', 'unless'],
  ['==', '!=', '>', '>=', '<', '<='],
  ['+', '-'],
  ['*', '/', '%'],
  ['^'],
];
const power = operatorsByStrength.length - 1;

function readMetric(cursor: Cursor, strength: number): MetricQuery {
  const operators = operatorsByStrength[strength];
  if (operators === undefined) return readOperand(cursor);
  let left = readMetric(cursor, strength + 1);
  while (cursor.is(...operators)) {
    // The loop condition checks the kind.
    const operator = cursor.take().kind as BinaryOperator;
    cursor.join();
    const modifiers = readModifiers(cursor);
    const lines = cursor.attempt(() => readWholeLog(cursor));
    if (lines !== null) throw wrongLeg('right', operator, lines);
    const right = cursor.nest(() => readMetric(cursor, strength === power ? strength : strength + 1));
    left = makeBinary({ kind: 'binary', operator, left, right, ...modifiers });
  }
  return left;
}

/** Rejects log lines as an operand. Loki names the types of its tree. */
function wrongLeg(leg: 'left' | 'right', operator: string, { stages }: LogQuery): LogqlMistake {
  const type = stages.length === 0 ? '*syntax.MatchersExpr' : '*syntax.PipelineExpr';
  return parseMistake(`unexpected type for ${leg} leg of binary operation (${operator}): ${type}`);
}

function readModifiers(cursor: Cursor): Pick<BinaryOperation, 'isBool' | 'matching'> {
  const isBool = cursor.accept('bool') !== null;
  const on = cursor.accept('on', 'ignoring');
  if (on === null) return { isBool, matching: { on: null, many: null, include: [] } };
  const labels = readNames(cursor);
  const group = cursor.accept('group_left', 'group_right');
  const include = group !== null && cursor.is('(') ? readNames(cursor) : [];
  const many = group === null ? null : group.kind === 'group_left' ? 'left' : 'right';
  return { isBool, matching: { on: { isIgnoring: on.kind === 'ignoring', labels }, many, include } };
}

function makeBinary(operation: BinaryOperation): MetricQuery {
  const { operator, left, right } = operation;
  if (operator === 'and' || operator === 'or' || operator === 'unless') {
    for (const [leg, side] of [
      ['left', left],
      ['right', right],
    ] as const)
      if (side.kind === 'literal')
        throw parseMistake(
          `unexpected literal for ${leg} leg of logical/set binary operation (${operator}): ${side.value.toFixed(6)}`,
        );
    return operation;
  }
  return left.kind === 'literal' && right.kind === 'literal'
    ? { kind: 'literal', value: combineLiterals(operator, left.value, right.value) }
    : operation;
}

function readNames(cursor: Cursor): string[] {
  cursor.expect('(');
  const names: string[] = [];
  if (cursor.accept(')')) return names;
  do {
    names.push(cursor.expect('IDENTIFIER').text);
    cursor.count();
  } while (cursor.accept(','));
  cursor.expect(',', ')');
  return names;
}

function readOperand(cursor: Cursor): MetricQuery {
  const { kind } = cursor.current;
  if (kind === '(') {
    cursor.take();
    const inner = cursor.nest(() => readMetric(cursor, 0));
    expectAfterOperand(cursor, ')');
    return inner;
  }
  if (isRangeWord(kind)) return readRange(cursor, kind);
  if (isVectorWord(kind)) return readVector(cursor, kind);
  if (kind === 'label_replace') return readReplacement(cursor);
  if (kind === 'vector') {
    cursor.take();
    cursor.expect('(');
    const { value } = cursor.expect('NUMBER');
    cursor.expect(')');
    return { kind: 'vector', value };
  }
  if (kind === 'variants') throw parseMistake('variants is not supported here', cursor.current);
  if (kind === '{') {
    readLog(cursor); // lines instead of numbers: Loki reports the token after them
    cursor.fail();
  }
  const sign = cursor.accept('+', '-');
  if (sign === null && kind !== 'NUMBER') cursor.fail();
  const { value } = cursor.expect('NUMBER');
  return { kind: 'literal', value: sign?.kind === '-' ? -value : value };
}

/** The message lists no expectations, because any operator would fit, too. */
function expectAfterOperand(cursor: Cursor, sign: ')' | ','): void {
  if (cursor.accept(sign) === null) cursor.fail();
}

function readRange(cursor: Cursor, operation: RangeOperation): RangeAggregation {
  cursor.take();
  cursor.expect('(');
  const parameter = cursor.is('NUMBER') ? cursor.take().value : null;
  if (parameter !== null) cursor.expect(',');
  const range = readLogRange(cursor);
  cursor.expect(')');
  const grouping = readGrouping(cursor);
  return validateRange({ kind: 'range', operation, parameter, ...range, grouping });
}

function readGrouping(cursor: Cursor): Grouping | null {
  const word = cursor.accept('by', 'without');
  return word === null ? null : { isWithout: word.kind === 'without', labels: readNames(cursor) };
}

function readVector(cursor: Cursor, operation: VectorOperation): VectorAggregation {
  cursor.take();
  const before = readGrouping(cursor);
  cursor.expect('(');
  const parameter = cursor.is('NUMBER') && cursor.peek(1).kind === ',' ? cursor.take().text : null;
  if (parameter !== null) cursor.take();
  const operand = cursor.nest(() => readMetric(cursor, 0));
  expectAfterOperand(cursor, ')');
  const grouping = before ?? readGrouping(cursor);
  return validateVector(
    { kind: 'vectorAggregation', operation, parameter: null, grouping, operand },
    parameter,
  );
}

function readReplacement(cursor: Cursor): LabelReplacement {
  cursor.take();
  cursor.expect('(');
  const operand = cursor.nest(() => readMetric(cursor, 0));
  expectAfterOperand(cursor, ',');
  const target = cursor.expect('STRING').text;
  cursor.expect(',');
  const replacement = cursor.expect('STRING').text;
  cursor.expect(',');
  const source = cursor.expect('STRING').text;
  cursor.expect(',');
  const matched = cursor.expect('STRING');
  const { text: expression } = matched;
  cursor.expect(')');
  cursor.count();
  cursor.weigh(matched);
  compileExpression(`^(?:${expression})$`, 'invalid regex in label_replace: ');
  return { kind: 'labelReplace', operand, target, replacement, source, expression };
}
