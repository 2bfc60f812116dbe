/** Applies operators to two numbers. */
import type { BinaryOperator } from '../language/tree.ts';
import { compare } from '../pipeline/filters.ts';

/** Division by zero gives NaN. */
export function calculate(operator: BinaryOperator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0 ? Number.NaN : left / right;
    case '%':
      return right === 0 ? Number.NaN : left % right;
    case '^':
      return left ** right;
    case 'and':
    case 'or':
    case 'unless':
      throw new Error(`${operator} is for sets`);
    default:
      return compare(operator, left, right) ? 1 : 0;
  }
}

/** Combines two numbers of a query; a comparison gives 1 or 0. */
export function combineLiterals(operator: BinaryOperator, left: number, right: number): number {
  return calculate(operator, left, right);
}
