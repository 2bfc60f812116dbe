/**
 * Finds lines whose label may be a number of some size, without parsing them. An expression checks the digits after the
 * label's name. It matches every line that passes the comparison, and some others.
 */
import { anyOf, type Condition, everything } from '@tapedeck/log-query-language';
import type { CompareOperator, LabelFilter } from '@tapedeck/logql';

type Comparison = Extract<LabelFilter, { kind: 'number' | 'duration' | 'size' }>;

const plainName = /^[a-zA-Z][a-zA-Z0-9]*$/; // others may combine several names

/** `own` matches entries that have the label themselves. */
export function composeNumberGuess({ name, operator, value }: Comparison, own: Condition): Condition {
  if (!plainName.test(name) || own.kind === 'everything') return everything;
  const escaped: Condition = { kind: 'bodyExactly', text: '\\' };
  // Nearly all numbers pass, so only the name is worth looking for.
  if (operator.startsWith('>') && value >= 0 && value < 1)
    return anyOf([{ kind: 'bodyExactly', text: name }, escaped, own]);
  const digits = listNumbers(operator, value);
  if (digits === null) return everything;
  // A key, perhaps in quotes; then a number in the usual spelling, or anything else that may read as a number.
  const unusual = '"?[^0-9"\\s]|"?[0-9]+[^0-9,}\\]\\s"]|"?0[0-9]|""|"\\s';
  const expression = `${name}\\s*"?\\s*[:=]\\s*(?:"?(?:${digits})(?:[,}\\]\\s"]|$)|${unusual})`;
  return anyOf([{ kind: 'matches', field: { kind: 'body' }, expression }, escaped, own]);
}

/** Returns an expression for unsigned whole numbers; null if nearly all would match. */
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

/** Includes equal numbers. */
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

/** Includes equal numbers. */
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
