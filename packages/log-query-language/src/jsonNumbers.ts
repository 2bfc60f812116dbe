/** Recognises numbers exactly as JSON writes them. Neither `007` nor `1 ` nor `NaN` is one. */

const pattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Reads a number as a double; beyond its range it is infinite. null if the text is not a number. */
export function findJsonNumber(text: string): number | null {
  return pattern.test(text) ? Number(text) : null;
}

export function printJsonNumber(number: number): string {
  if (Object.is(number, -0)) return '-0';
  if (Number.isFinite(number)) return String(number);
  return number < 0 ? '-1e999' : '1e999'; // reads as infinite again
}
