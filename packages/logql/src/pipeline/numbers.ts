/** Parses numbers as Go does. */
import { quote } from '../language/quotes.ts';

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const words: Readonly<Record<string, number>> = {
  inf: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  nan: Number.NaN,
};

/** Parses a number; null if the text is not one. An underscore may stand between two digits. */
export function parseGoFloat(text: string): number | null {
  return parsePlain(text.includes('_') ? removeUnderscores(text) : text);
}

/** Leaves other underscores, which no number has. */
function removeUnderscores(text: string): string {
  const digit = /^[+-]?0[xX]/.test(text) ? '[\\da-fA-F]' : '\\d';
  return text.replace(/^([+-]?0[xX])_/, '$1').replaceAll(new RegExp(`(?<=${digit})_(?=${digit})`, 'g'), '');
}

function parsePlain(text: string): number | null {
  if (decimal.test(text)) {
    const number = Number(text);
    return Number.isFinite(number) ? number : null; // Go reports numbers out of range as errors
  }
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  const word = Object.hasOwn(words, rest.toLowerCase()) ? words[rest.toLowerCase()] : undefined;
  if (word !== undefined && Number.isNaN(word)) return sign === '' ? word : null;
  if (word !== undefined) return sign === '-' ? -word : word;
  return parseHexadecimal(sign, rest);
}

function parseHexadecimal(sign: string, text: string): number | null {
  const [, whole = '', fraction = '', exponent] =
    /^0[xX]([\da-fA-F]*)(?:\.([\da-fA-F]*))?[pP]([+-]?\d+)$/.exec(text) ?? [];
  if (exponent === undefined || whole + fraction === '') return null;
  const number = Number.parseInt(whole + fraction, 16) * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -number : number;
}

/** Returns Go's message for an invalid number. */
export function describeFloatMistake(text: string): string {
  const reason = decimal.test(removeUnderscores(text)) ? 'value out of range' : 'invalid syntax';
  return `strconv.ParseFloat: parsing ${quote(text)}: ${reason}`;
}
