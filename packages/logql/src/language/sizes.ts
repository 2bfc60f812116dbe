/** Parses and formats sizes in bytes, such as `5MB` and `1.5 KiB`. */

const units: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
  pib: 2 ** 50,
  eib: 2 ** 60,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
  ti: 2 ** 40,
  pi: 2 ** 50,
  ei: 2 ** 60,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  pb: 1e15,
  eb: 1e18,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  p: 1e15,
  e: 1e18,
};

const bytesLimit = 2 ** 64; // Go's
const plainNumber = /^(?:\d+(?:\.\d*)?|\.\d+)$/;

/** Parses a size; null if the text is not one. A number without a unit counts bytes. */
export function parseSize(text: string): number | null {
  const [, digits = '', unit = ''] = /^([\d.,]+)\s*(?:([a-zA-Z]+)\s*)?$/.exec(text) ?? [];
  const number = digits.replaceAll(',', '');
  const factor = units[unit.toLowerCase()];
  if (!plainNumber.test(number) || factor === undefined) return null;
  const bytes = Number(number) * factor;
  return bytes < bytesLimit ? Math.trunc(bytes) : null;
}

/** Returns the message for an invalid size. */
export function describeSizeMistake(text: string): string {
  const digits = /^[\d.,]*/.exec(text)?.[0] ?? '';
  const number = digits.replaceAll(',', '');
  if (!plainNumber.test(number))
    return `strconv.ParseFloat: parsing ${JSON.stringify(number)}: invalid syntax`;
  const unit = text.slice(digits.length).trim().toLowerCase();
  return units[unit] === undefined ? `unhandled size name: ${unit}` : `too large: ${text}`;
}

const names = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];

/** Formats a size in the largest unit that gives at least 1: `82MB`, `1.2kB`. */
export function formatSize(bytes: number): string {
  if (bytes < 10) return `${bytes}B`;
  const step = Math.min(Math.floor(Math.log10(bytes) / 3), names.length - 1);
  const value = Math.floor((bytes / 1000 ** step) * 10 + 0.5) / 10;
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)}${names[step]}`;
}
