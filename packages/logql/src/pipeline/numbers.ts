/** Numbers as Go reads them. */

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const words: Readonly<Record<string, number>> = {
  ...{ inf: Number.POSITIVE_INFINITY, infinity: Number.POSITIVE_INFINITY, nan: Number.NaN },
};

/** null for what is no number. */
export function parseGoFloat(text: string): number | null {
  if (decimal.test(text)) {
    const number = Number(text);
    return Number.isFinite(number) ? number : null; // beyond the range is an error
  }
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  const word = Object.hasOwn(words, rest.toLowerCase()) ? words[rest.toLowerCase()] : undefined;
  if (word !== undefined) return sign === '-' ? -word : word;
  return parseHexadecimal(sign, rest);
}

function parseHexadecimal(sign: string, text: string): number | null {
  const [, whole = '', fraction = '', exponent] =
    /^0[xX]([\da-fA-F]*)\.?([\da-fA-F]*)[pP]([+-]?\d+)$/.exec(text) ?? [];
  if (exponent === undefined || whole + fraction === '') return null;
  const number = Number.parseInt(whole + fraction, 16) * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -number : number;
}

/** Go's message for an invalid number. */
export function describeFloatMistake(text: string): string {
  const reason = decimal.test(text) ? 'value out of range' : 'invalid syntax';
  return `strconv.ParseFloat: parsing ${JSON.stringify(text)}: ${reason}`;
}
