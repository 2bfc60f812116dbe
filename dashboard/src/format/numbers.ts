/** Formats numbers for people. */

const whole = new Intl.NumberFormat('en');
const measure = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `12,345` */
export function formatCount(count: number): string {
  return whole.format(count);
}

/** `12.3K`, for tight places. */
export function formatShort(count: number): string {
  return short.format(count);
}

/** `1.23K`, `0.0481`: any size, to three digits. */
export function formatMeasure(value: number): string {
  return measure.format(value);
}

/** `1 file`, `2 files` */
export function countThings(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
