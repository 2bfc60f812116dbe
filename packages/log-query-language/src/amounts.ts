/** Reads durations and sizes in their usual spellings, such as `1m2.5s` and `5 KB`, exactly as LogQL does. Leaves out other spellings. */

export type AmountUnit = 'nanoseconds' | 'seconds' | 'bytes';

/** An RE2 expression. Its groups are hours, minutes, and an amount with its unit. Results stay exact: they are below 2^53 nanoseconds. */
export const durationExpression =
  '^(?:([0-9]{1,3})h)?(?:([0-9]{1,4})m)?(?:([0-9]{1,6}(?:[.][0-9]{1,9})?)(s|ms|us|µs|ns))?$';

/** Of these, the ones with one unit, except hours and minutes. */
export const singleDurationExpression = '^[0-9]{1,6}(?:[.][0-9]{1,9})?(?:s|ms|us|µs|ns)$';

export const durationUnits: ReadonlyMap<string, number> = new Map([
  ['s', 1e9],
  ['ms', 1e6],
  ['us', 1e3],
  ['µs', 1e3],
  ['ns', 1],
]);

/** An RE2 expression. Its groups are an amount and its unit. */
export const sizeExpression = '^([0-9]{1,12}(?:[.][0-9]{1,3})?) ?([a-zA-Z]{0,3})$';

/** By their lower-case names. */
export const sizeUnits: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['b', 1],
  ...['k', 'm', 'g', 't', 'p', 'e'].flatMap((letter, index): [string, number][] => [
    [letter, 1_000 ** (index + 1)],
    [`${letter}b`, 1_000 ** (index + 1)],
    [`${letter}i`, 1_024 ** (index + 1)],
    [`${letter}ib`, 1_024 ** (index + 1)],
  ]),
]);

export const amountLimit = 2 ** 53; // larger numbers are not exact

const duration = new RegExp(durationExpression);
const size = new RegExp(sizeExpression);

/** Returns the number as text; '' if it is not in a usual spelling. */
export function convertAmount(text: string, unit: AmountUnit): string {
  const number = unit === 'bytes' ? readSize(text) : readNanoseconds(text);
  if (number === null) return '';
  if (unit !== 'seconds') return String(number);
  const whole = Math.floor(number / 1e9);
  return String(whole + (number - whole * 1e9) / 1e9); // rounded twice, as LogQL does
}

function readNanoseconds(text: string): number | null {
  const [, hours = '0', minutes = '0', amount = '0', unit = 's'] = duration.exec(text) ?? [];
  if (text === '' || !duration.test(text)) return null;
  const factor = durationUnits.get(unit) ?? 0;
  return Math.round(Number(hours) * 3_600e9 + Number(minutes) * 60e9 + Number(amount) * factor);
}

function readSize(text: string): number | null {
  const [, amount = '', unit = ''] = size.exec(text) ?? [];
  const factor = sizeUnits.get(unit.toLowerCase());
  const bytes = Math.trunc(Number(amount) * (factor ?? 0));
  return amount === '' || factor === undefined || bytes >= amountLimit ? null : bytes;
}
