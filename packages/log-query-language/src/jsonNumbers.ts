/** Recognises numbers exactly as JSON writes them, so not `007`, `1 ` or `NaN`. */

const pattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Reads a number as a double, or as infinite if it is out of range; null if the text is not a number. */
export function findJsonNumber(text: string): number | null {
  return pattern.test(text) ? Number(text) : null;
}

export function printJsonNumber(number: number): string {
  if (Object.is(number, -0)) return '-0';
  if (Number.isFinite(number)) return String(number);
  return number < 0 ? '-1e999' : '1e999'; // reads as infinite again
}
