/** Numbers in queries, as Go's scanner and `ParseFloat` read them. */
import { parseMistake } from '../mistakes.ts';

/** Also takes what is wrong, as Go's scanner does. */
export const numberToken =
  /(?:0[xX][\da-fA-F_]*|0[bBoO][\d_]*|\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eEpP][+-]?[\d_]*)?/y;

const shownMax = 1_000; // digits in an error
const bases: Readonly<Record<string, string>> = { x: 'hexadecimal', o: 'octal', b: 'binary' };
const strayUnderscore = /^_|__|_$|_\.|\._|[eEpP][+-]?_|_[eEpP]/;

/** Returns what Go's scanner says; null: nothing. */
export function findNumberMistake(digits: string): string | null {
  const [, letter = '', mantissa = '', sign = '', exponent = ''] =
    /^(?:0([xXbBoO]))?(.*?)(?:([eEpP])[+-]?([\d_]*))?$/.exec(digits) ?? [];
  const base = bases[letter.toLowerCase()];
  const isHexadecimal = base === 'hexadecimal';
  if (base !== undefined && !/[\da-fA-F]/.test(mantissa + (isHexadecimal ? sign : '')))
    return `${base} literal has no digits`;
  if (/[pP]/.test(sign) && !isHexadecimal) return `'${sign}' exponent requires hexadecimal mantissa`;
  if (sign !== '' && !isHexadecimal && exponent === '') return 'exponent has no digits';
  const wrong = sign === '' ? findWrongDigit(base, mantissa) : undefined;
  if (wrong !== undefined) return `invalid digit '${wrong}' in ${base ?? 'octal'} literal`;
  return strayUnderscore.test(digits) ? "'_' must separate successive digits" : null;
}

function findWrongDigit(base: string | undefined, mantissa: string): string | undefined {
  if (base === 'binary') return /[2-9]/.exec(mantissa)?.[0];
  const isOctal = base === 'octal' || (base === undefined && /^0[\d_]+$/.test(mantissa));
  return isOctal ? /[89]/.exec(mantissa)?.[0] : undefined;
}

/** Prefixes and underscores are fine for the scanner, but not for `ParseFloat`. */
export function requireFloat(digits: string): number {
  const isPlain = /^[\d.]+(?:[eE][+-]?\d+)?$/.test(digits);
  if (isPlain && Number.isFinite(Number(digits))) return Number(digits);
  const mistake = isPlain ? 'value out of range' : 'invalid syntax';
  const shown = digits.slice(0, shownMax);
  throw parseMistake(`unable to parse float: strconv.ParseFloat: parsing "${shown}": ${mistake}`);
}
