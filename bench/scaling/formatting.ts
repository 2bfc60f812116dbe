/** Formats numbers for docs/scaling.md: two significant digits and a unit. */

const steps = [
  { from: 1e12, word: ' T' },
  { from: 1e9, word: ' G' },
  { from: 1e6, word: ' M' },
  { from: 1e4, word: ' k' },
] as const;

export function formatCount(value: number): string {
  const step = steps.find(({ from }) => value >= from);
  if (step === undefined) return value === 0 ? '0' : formatDigits(value);
  const unit = step.from === 1e4 ? 1e3 : step.from;
  return `${formatDigits(value / unit)}${step.word}`;
}

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

export function formatBytes(bytes: number): string {
  const power = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${formatDigits(bytes / 1_000 ** power)} ${byteUnits[power]}`;
}

export function formatSeconds(ms: number): string {
  if (ms < 1_000) return `${formatDigits(ms)} ms`;
  return `${formatDigits(ms / 1_000)} s`;
}

export function formatShare(share: number): string {
  return share === 0 ? '0' : `${formatDigits(share * 100)} %`;
}

/** Writes two significant digits, and no decimals for larger numbers. */
export function formatDigits(value: number): string {
  if (value === 0) return '0';
  const rounded = Number(value.toPrecision(2));
  if (value >= 100) return String(Math.round(rounded)).replace(/\B(?=(\d{3})+$)/g, ',');
  return String(rounded);
}
