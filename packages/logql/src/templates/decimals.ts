/** Decimal arithmetic for templates: as in Loki, 0.1 + 0.2 is 0.3. */
import { TemplateFailure } from './values.ts';

const quotientPlaces = 16; // the precision of Loki's library

type Decimal = { digits: bigint; places: number };

export const decimalOperators = {
  addf: (one: number, other: number) => calculate(one, other, add),
  subf: (one: number, other: number) =>
    calculate(one, other, (left, right) => add(left, { ...right, digits: -right.digits })),
  mulf: (one: number, other: number) => calculate(one, other, multiply),
  divf: (one: number, other: number) => calculate(one, other, divide),
} as const;

function calculate(one: number, other: number, combine: (left: Decimal, right: Decimal) => Decimal): number {
  for (const number of [one, other])
    if (!Number.isFinite(number)) throw new TemplateFailure(`Cannot create a Decimal from ${number}`);
  const { digits, places } = combine(readDecimal(one), readDecimal(other));
  return Number(`${digits}e${-places}`);
}

function readDecimal(number: number): Decimal {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)\.?(\d*)(?:e([+-]\d+))?$/.exec(String(number)) ?? [];
  const places = fraction.length - Number(exponent);
  const digits = BigInt(sign + whole + fraction);
  return places < 0 ? { digits: digits * 10n ** BigInt(-places), places: 0 } : { digits, places };
}

function scale({ digits, places }: Decimal, target: number): bigint {
  return digits * 10n ** BigInt(target - places);
}

function add(one: Decimal, other: Decimal): Decimal {
  const places = Math.max(one.places, other.places);
  return { digits: scale(one, places) + scale(other, places), places };
}

function multiply(one: Decimal, other: Decimal): Decimal {
  return { digits: one.digits * other.digits, places: one.places + other.places };
}

/** Divides, and rounds halves away from zero. */
function divide(one: Decimal, other: Decimal): Decimal {
  if (other.digits === 0n) throw new TemplateFailure('error calling divf: decimal division by 0');
  const places = Math.max(one.places, other.places);
  const dividend = scale(one, places) * 10n ** BigInt(quotientPlaces);
  const divisor = scale(other, places);
  const quotient = dividend / divisor;
  const rest = dividend % divisor;
  const isHalf = abs(rest) * 2n >= abs(divisor);
  const away = dividend < 0n === divisor < 0n ? 1n : -1n;
  return { digits: isHalf ? quotient + away : quotient, places: quotientPlaces };
}

function abs(number: bigint): bigint {
  return number < 0n ? -number : number;
}
