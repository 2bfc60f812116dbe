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
      return raise(left, right);
    case 'and':
    case 'or':
    case 'unless':
      throw new Error(`${operator} is for sets`);
    default:
      return compare(operator, left, right) ? 1 : 0;
  }
}

const squaredMax = 1e6; // larger exponents end in zero or infinity
const squaredMin = 1e-290; // smaller powers lose digits on the way

/** Raises to a power as Go does: JavaScript's last digit differs for every third power. */
function raise(base: number, exponent: number): number {
  const size = Math.abs(exponent);
  if (base === 1 || (base === -1 && size === Number.POSITIVE_INFINITY)) return 1;
  const isWhole = Number.isInteger(exponent);
  if (!Number.isFinite(base) || !(size <= squaredMax) || (base <= 0 && !isWhole)) return base ** exponent;
  if (size === 0.5) return exponent > 0 ? Math.sqrt(base) : 1 / Math.sqrt(base);
  const whole = Math.ceil(size - 0.5); // a rest of one half stays a rest
  const root = isWhole ? 1 : Math.exp((size - whole) * Math.log(base));
  const power = multiply(root, base, whole);
  const result = exponent < 0 ? 1 / power : power;
  const isExact = Number.isFinite(result) && Math.min(Math.abs(power), Math.abs(result)) > squaredMin;
  return isExact ? result : base ** exponent;
}

/** Multiplies a number by a power of a base, by squaring the base. */
function multiply(start: number, base: number, times: number): number {
  let product = start;
  let square = base;
  for (let left = times; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) product *= square;
    square *= square;
  }
  return product;
}

/** Combines two numbers of a query; a comparison gives 1 or 0. */
export function combineLiterals(operator: BinaryOperator, left: number, right: number): number {
  return calculate(operator, left, right);
}
