/** Formats numbers like Go's `printf`. */
import { escapeCode, quote } from '../language/quotes.ts';
import type { Directive } from './layouts.ts';
import { formatFloat } from './values.ts';

const placesMax = 100; // JavaScript's limit, enough for every exact half

/** Pads a text on the left, or on the right with the flag `-`. */
export function pad(text: string, { flags, width }: Directive, filler = ' '): string {
  const missing = width - [...text].length;
  if (missing <= 0) return text;
  return flags.includes('-') ? text + ' '.repeat(missing) : filler.repeat(missing) + text;
}

/** Pads with zeros if the flags ask for them. */
export function padText(text: string, directive: Directive): string {
  return pad(text, directive, hasZeros(directive) ? '0' : ' ');
}

function hasZeros({ flags }: Directive): boolean {
  return flags.includes('0') && !flags.includes('-');
}

const bases: Readonly<Record<string, number>> = { d: 10, v: 10, b: 2, o: 8, O: 8, x: 16, X: 16 };

/** Returns null if the verb is not one of whole numbers. */
export function formatWhole(value: bigint, directive: Directive): string | null {
  const { verb, flags } = directive;
  const code = Number(value);
  const sign = value >= 0n && value <= 0x10ffffn ? String.fromCodePoint(code) : '\ufffd';
  if (verb === 'c') return padText(sign, directive);
  if (verb === 'q') return padText(quoteSign(sign, flags), directive);
  if (verb === 'U') {
    const digits = Math.max(directive.precision ?? 0, 4);
    const text = `U+${BigInt.asUintN(64, value).toString(16).toUpperCase().padStart(digits, '0')}`;
    return pad(flags.includes('#') ? `${text} '${sign}'` : text, directive);
  }
  const base = bases[verb];
  return base === undefined ? null : formatInBase(value, base, directive);
}

function quoteSign(sign: string, flags: string): string {
  if (flags.includes('+') && sign > '\x7f') return `'${escapeCode(sign)}'`;
  if (sign === "'") return "'\\''";
  return sign === '"' ? `'"'` : `'${quote(sign).slice(1, -1)}'`;
}

function formatInBase(value: bigint, base: number, directive: Directive): string {
  const { verb, flags, width, precision } = directive;
  const sign = value < 0n ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  if (precision === 0 && value === 0n) return ' '.repeat(width);
  const fill = hasZeros(directive) && precision === null ? width - sign.length : 0;
  const digits = (value < 0n ? -value : value).toString(base).padStart(Math.max(precision ?? 0, fill), '0');
  let prefix = verb === 'O' ? '0o' : '';
  if (flags.includes('#')) {
    if (base === 2) prefix = '0b';
    if (base === 8 && !digits.startsWith('0')) prefix += '0';
    if (base === 16) prefix = `0${verb}`;
  }
  return pad(sign + prefix + (verb === 'X' ? digits.toUpperCase() : digits), directive);
}

/** Returns null if the verb is not one of real numbers. */
export function formatReal(value: number, directive: Directive): string | null {
  const plain = formatDigits(Math.abs(value), directive);
  if (plain === null) return null;
  const { flags, width } = directive;
  const isNegative = value < 0 || Object.is(value, -0);
  const sign = isNegative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  const isFilled = hasZeros(directive) && Number.isFinite(value);
  return pad(sign + (isFilled ? plain.padStart(width - sign.length, '0') : plain), directive);
}

function formatDigits(value: number, { verb, precision }: Directive): string | null {
  if (!/^[fFeEgGv]$/.test(verb)) return null;
  if (!Number.isFinite(value)) return formatFloat(value).replace('+', '');
  const isUpper = verb === 'E' || verb === 'G';
  const text = formatLower(value, verb.toLowerCase(), precision);
  return isUpper ? text.toUpperCase() : text;
}

function formatLower(value: number, verb: string, precision: number | null): string {
  if (verb === 'f') return formatFixed(value, precision ?? 6);
  if (verb === 'e') return padExponent(roundDigits(value, precision ?? 6));
  if (precision === null) return formatFloat(value);
  const digits = Math.max(precision, 1);
  const [mantissa = '', exponentText = '0'] = roundDigits(value, digits - 1).split('e');
  const exponent = Number(exponentText);
  const short = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
  const count = short.replace('.', '').length;
  // Go writes 1e+06 only where the digits asked for do not reach the decimal point.
  const limit = digits > count && count >= exponent + 1 ? count : digits;
  if (exponent < -4 || exponent >= limit) return padExponent(`${short}e${exponent}`);
  return Number(`${short}e${exponent}`).toFixed(Math.max(count - 1 - exponent, 0));
}

/** `toExponential` rounds halves up, Go to the even digit. */
function roundDigits(value: number, places: number): string {
  const [exact = '', exponent = '0'] = value.toExponential(placesMax).split('e');
  const end = places === 0 ? 1 : places + 2;
  const rest = exact.slice(end).replace('.', '');
  const isTie = /^50*$/.test(rest) && /[02468]$/.test(exact.slice(0, end));
  return isTie ? `${exact.slice(0, end)}e${exponent}` : value.toExponential(places);
}

/** Go writes at least two digits of an exponent. */
function padExponent(text: string): string {
  return text.replace(
    /e([+-]?)(\d+)$/,
    (_, sign: string, digits: string) => `e${sign || '+'}${digits.padStart(2, '0')}`,
  );
}

/** Formats with fixed places. Like Go, rounds halves to the even digit. */
function formatFixed(value: number, places: number): string {
  const exact = value.toFixed(placesMax);
  if (!/^\d+\./.test(exact)) return `${BigInt(value)}${places > 0 ? `.${'0'.repeat(places)}` : ''}`;
  const end = exact.length - placesMax + places;
  const isHalf = /^5?0*$/.test(exact.slice(end)) && exact[end] === '5';
  const cut = exact.slice(0, end).replace(/\.$/, '');
  return isHalf && /[02468]$/.test(cut) ? cut : value.toFixed(places);
}
