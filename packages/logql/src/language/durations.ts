/** Parses and formats durations as Prometheus and Go write them. Numbers are nanoseconds. */

const second = 1e9;
/** Go's limit for a duration: 2^63 nanoseconds, 292 years. */
export const spanNsMax = 2 ** 63;

const prometheusUnits: readonly [unit: string, ns: number][] = [
  ['y', 365 * 86_400 * second],
  ['w', 7 * 86_400 * second],
  ['d', 86_400 * second],
  ['h', 3_600 * second],
  ['m', 60 * second],
  ['s', second],
  ['ms', 1e6],
];
const prometheusPattern = /^(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;

const goUnits: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: second,
  m: 60 * second,
  h: 3_600 * second,
};
// A fraction needs its point: with an optional one, a run of digits could be divided in as many ways as it is long.
const goPattern = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

/** Parses `1d12h`; null for anything else, and for more than 292 years. */
export function parsePrometheusDuration(text: string): number | null {
  if (text === '0') return 0;
  const parts = prometheusPattern.exec(text);
  if (text === '' || parts === null) return null;
  const total = prometheusUnits.reduce((sum, [, ns], index) => sum + Number(parts[index + 1] ?? 0) * ns, 0);
  return total < spanNsMax ? total : null;
}

/** Returns Prometheus' message for an invalid duration. */
export function describePrometheusMistake(text: string): string {
  if (text === '') return 'empty duration string';
  return prometheusPattern.test(text) ? 'duration out of range' : `not a valid duration string: "${text}"`;
}

/** Parses `1h2.5s` or `-3ms`; null for anything else, and for more than 292 years. */
export function parseGoDuration(text: string): number | null {
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (rest === '0') return 0;
  let total = 0;
  let end = 0;
  goPattern.lastIndex = 0;
  for (let part = goPattern.exec(rest); part !== null; part = goPattern.exec(rest)) {
    total += Number(part[1]) * (goUnits[part[2] ?? ''] ?? 0);
    end = goPattern.lastIndex;
  }
  if (end === 0 || end !== rest.length || total >= spanNsMax) return null;
  return sign === '-' ? -Math.round(total) : Math.round(total);
}

/** Returns Go's message for an invalid duration. */
export function describeDurationMistake(text: string): string {
  const quoted = quoteBytes(text);
  const part = /(\d+(?:\.\d*)?|\.\d+)([^\d.]*)/y;
  part.lastIndex = /^[+-]/.test(text) ? 1 : 0;
  let total = 0;
  for (;;) {
    const [, digits = '', unit = ''] = part.exec(text) ?? [];
    if (digits === '' || Number(digits) > spanNsMax) return `time: invalid duration ${quoted}`;
    if (unit === '') return `time: missing unit in duration ${quoted}`;
    const unitNs = Object.hasOwn(goUnits, unit) ? goUnits[unit] : undefined;
    if (unitNs === undefined) return `time: unknown unit ${quoteBytes(unit)} in duration ${quoted}`;
    total += Number(digits) * unitNs;
    if (total > spanNsMax) return `time: invalid duration ${quoted}`;
  }
}

/** Quotes like Go's package of times, which writes bytes that are not ASCII as codes. */
function quoteBytes(text: string): string {
  const escapeBytes = (sign: string) =>
    Array.from(Buffer.from(sign), byte => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  return `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll(/[^\x20-\x7f]+/gu, escapeBytes)}"`;
}

/** Converts to seconds like Go, which rounds twice: 1.118 s are not 1,118,000,000 ns divided by 1e9. */
export function toSeconds(ns: number): number {
  const whole = Math.trunc(ns / second);
  return whole + (ns - whole * second) / second;
}

/** Parses either spelling: queries may use both. */
export function parseDuration(text: string): number | null {
  return parsePrometheusDuration(text) ?? parseGoDuration(text);
}

/** Formats a range like Prometheus: `1h30m`. */
export function formatPrometheusDuration(ns: number): string {
  const sign = ns < 0 ? '-' : '';
  let rest = Math.round(Math.abs(ns) / 1e6);
  if (rest === 0) return '0s';
  let text = '';
  for (const [unit, unitNs] of prometheusUnits) {
    const unitMs = unitNs / 1e6;
    // Prints years, weeks and days only without a remainder.
    if (['y', 'w', 'd'].includes(unit) && rest % unitMs !== 0) continue;
    const amount = Math.floor(rest / unitMs);
    if (amount > 0) text += `${amount}${unit}`;
    rest -= amount * unitMs;
  }
  return sign + text;
}

/** Formats a duration like Go: `1h0m0.5s`. */
export function formatGoDuration(ns: number): string {
  const sign = ns < 0 ? '-' : '';
  const size = Math.abs(ns);
  if (size === 0) return '0s';
  if (size < 1e3) return `${sign}${size}ns`;
  if (size < 1e6) return `${sign}${trim(size / 1e3)}µs`;
  if (size < second) return `${sign}${trim(size / 1e6)}ms`;
  const hours = Math.floor(size / (3_600 * second));
  const minutes = Math.floor(size / (60 * second)) % 60;
  const seconds = `${trim((size % (60 * second)) / second)}s`;
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${sign}${minutes}m${seconds}` : sign + seconds;
}

function trim(number: number): string {
  return String(Number(number.toFixed(9)));
}
