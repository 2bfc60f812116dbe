/** Formats numbers, spans and times for readers. */

const units: readonly [number, string][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
];

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

export function formatNumber(value: number): string {
  return Number.isFinite(value) ? grouped.format(value) : '?';
}

/** `5 minutes`, `1 hour 30 minutes`: at most two units. */
export function formatSpan(ms: number): string {
  const largest = units.findIndex(([unitMs]) => ms >= unitMs);
  if (largest === -1) return 'less than a second';
  const [[firstMs], second] = [units[largest]!, units[largest + 1]];
  const rest = second === undefined ? 0 : Math.floor((ms % firstMs) / second[0]);
  const parts = [writeCount(Math.floor(ms / firstMs), units[largest]![1])];
  if (second !== undefined && rest > 0) parts.push(writeCount(rest, second[1]));
  return parts.join(' ');
}

export function writeCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** `2026-11-23 04:12:09 UTC`. */
export function formatTime(at: number): string {
  return `${toInstant(at).slice(0, 19).replace('T', ' ')} UTC`;
}

export function writeTimeOfDay(at: number): string {
  return toInstant(at).slice(11, 19);
}

const instantMax = 253_402_300_799_999; // the end of the year 9999

export function toInstant(at: number): string {
  return new Date(Math.min(Math.max(Math.trunc(at) || 0, 0), instantMax)).toISOString();
}
