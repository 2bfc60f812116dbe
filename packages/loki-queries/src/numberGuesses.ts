/**
 * Finds lines in which a label may be a number of some size before anything parses them, by an expression over the
 * digits after the label's name. It matches every line that the comparison lets through, and some others.
 */
import { anyOf, type Condition, everything } from '@tapedeck/log-query-language';
import type { CompareOperator, LabelFilter } from '@tapedeck/logql';

type Comparison = Extract<LabelFilter, { kind: 'number' | 'duration' | 'size' }>;

const plainName = /^[a-zA-Z][a-zA-Z0-9]*$/; // any other may be put together of several names

/** `own` says whether the entry itself has the label. */
export function composeNumberGuess({ name, operator, value }: Comparison, own: Condition): Condition {
  if (!plainName.test(name) || own.kind === 'everything') return everything;
  const digits = listNumbers(operator, value);
  if (digits === null) return everything;
  // A key in quotes or without; then a number as it is usually written, or whatever else could be read as one.
  const unusual = '"?[^0-9"\\s]|"?[0-9]+[^0-9,}\\]\\s"]|"?0[0-9]|""|"\\s';
  const expression = `${name}\\s*"?\\s*[:=]\\s*(?:"?(?:${digits})(?:[,}\\]\\s"]|$)|${unusual})`;
  return anyOf([
    { kind: 'matches', field: { kind: 'body' }, expression },
    { kind: 'bodyExactly', text: '\\' },
    own,
  ]);
}

/** Whole numbers without sign, as an expression; null where nearly all would do. */
function listNumbers(operator: CompareOperator, value: number): string | null {
  if (value < 0) return null;
  const least = Math.max(Math.floor(value), 0);
  if (least > 1e15) return null;
  switch (operator) {
    case '>':
    case '>=':
      return listLarger(String(least));
    case '<':
    case '<=':
      return listSmaller(String(Math.ceil(value)));
    case '==':
      return Number.isInteger(value) ? String(value) : '[0-9]+';
    case '!=':
      return null;
  }
}

/** At least as large. */
function listLarger(digits: string): string {
  const alternatives = [`[0-9]{${digits.length + 1},}`, digits];
  for (const [place, digit] of [...digits].entries()) {
    if (digit === '9') continue;
    const rest = digits.length - place - 1;
    alternatives.push(
      `${digits.slice(0, place)}[${Number(digit) + 1}-9]${rest === 0 ? '' : `[0-9]{${rest}}`}`,
    );
  }
  return alternatives.join('|');
}

/** At most as large. */
function listSmaller(digits: string): string {
  const alternatives = [digits];
  if (digits.length > 1) alternatives.push(`[0-9]{1,${digits.length - 1}}`);
  for (const [place, digit] of [...digits].entries()) {
    if (digit === '0') continue;
    const rest = digits.length - place - 1;
    alternatives.push(
      `${digits.slice(0, place)}[0-${Number(digit) - 1}]${rest === 0 ? '' : `[0-9]{${rest}}`}`,
    );
  }
  return alternatives.join('|');
}
