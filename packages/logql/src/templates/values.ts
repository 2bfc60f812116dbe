/** Values in templates. Whole numbers are bigints, so that they print and divide like Go's; others are numbers. */

import { parseGoFloat } from '../pipeline/numbers.ts';

export type Value =
  | string
  | number
  | bigint
  | boolean
  | null
  | Moment
  | readonly Value[]
  | { readonly [name: string]: Value };

export type TemplateFunction = (...values: Value[]) => Value;

export class Moment {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** Stops a template. The message becomes a label of the line. */
export class TemplateFailure extends Error {}

/** A failure whose message includes the position in the template. */
export class LocatedFailure extends TemplateFailure {}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isRecord(value: Value): value is { readonly [name: string]: Value } {
  return typeof value === 'object' && value !== null && !isList(value) && !(value instanceof Moment);
}

/** Whether the value is not empty, zero, false or null. */
export function isTrue(value: Value): boolean {
  if (typeof value === 'bigint') return value !== 0n;
  if (isList(value)) return value.length > 0;
  if (isRecord(value)) return Object.keys(value).length > 0;
  return value instanceof Moment || (typeof value === 'number' ? value !== 0 : Boolean(value));
}

/** Prints a value like Go's %v. */
export function print(value: Value): string {
  if (value === null) return '<no value>';
  if (typeof value === 'number') return formatFloat(value);
  if (value instanceof Moment) return formatMoment(value);
  if (isList(value)) return `[${value.map(printInner).join(' ')}]`;
  if (isRecord(value)) {
    const names = Object.keys(value).sort();
    return `map[${names.map(name => `${name}:${printInner(value[name] ?? null)}`).join(' ')}]`;
  }
  return String(value);
}

function printInner(value: Value): string {
  return value === null ? '<nil>' : print(value);
}

export function formatFloat(number: number): string {
  if (Number.isNaN(number)) return 'NaN';
  if (!Number.isFinite(number)) return number > 0 ? '+Inf' : '-Inf';
  if (number === 0) return '0';
  const [digits = '', exponentText = '0'] = number.toExponential().split('e');
  const exponent = Number(exponentText);
  const isLong = exponent < -4 || exponent >= 6;
  if (!isLong) return plainDigits(number);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function plainDigits(number: number): string {
  const text = String(number);
  return /e/.test(text) ? number.toFixed(20).replace(/\.?0+$/, '') : text;
}

/** The nanoseconds since the last whole second, before 1970, too. */
export function fractionOf({ nanos }: Moment): bigint {
  return ((nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
}

function formatMoment(moment: Moment): string {
  const { nanos } = moment;
  const fraction = String(fractionOf(moment)).padStart(9, '0').replace(/0+$/, '');
  const text = new Date(Number((nanos - fractionOf(moment)) / 1_000_000n))
    .toISOString()
    .slice(0, 19)
    .replace('T', ' ');
  return `${text}${fraction === '' ? '' : `.${fraction}`} +0000 UTC`;
}

/** Converts a value to a whole number, without its fraction; 0 if it is not a number. */
export function toInteger(value: Value | undefined): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return typeof value === 'string' ? parseInteger(value) : 0n;
}

/** Parses a number like Go's literals: `0x10`, `0b1`, and octal digits behind a 0. Leaves out a fraction. */
function parseInteger(text: string): bigint {
  const [, sign, digits] =
    /^([+-]?)(0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9]\d*)(?:\.\d*)?$/.exec(text) ?? [];
  if (digits === undefined) return 0n;
  const size = BigInt(digits.replace(/^0[oO]?(?=[0-7])/, '0o'));
  const number = sign === '-' ? -size : size;
  return BigInt.asIntN(64, number) === number ? number : 0n;
}

export function toFloat(value: Value | undefined): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'string' ? (parseGoFloat(value) ?? 0) : 0;
}

export function toText(value: Value | undefined): string {
  return value === undefined || value === null ? '' : print(value);
}
