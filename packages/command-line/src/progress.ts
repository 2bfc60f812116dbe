/** Reports the progress of long work: counts, rates and time left. */

/** Counts of the current step since it began. */
type Counted = { files?: number; entries?: number; rows?: number; bytes?: number };
export type ReportProgress = (counted: Counted) => void;

/** Receives lines for a reader, one at a time. No program parses them. */
export type Say = (line: string) => void;

const lineIntervalMs = 2_000;
const perSecond = 1_000;

/** The first number is the progress, out of `all` if that is known. */
export function openProgress(say: Say, title: string, all: number | null): ReportProgress {
  const begunAt = performance.now();
  let saidAt = begunAt;
  return counted => {
    const now = performance.now();
    if (now - saidAt < lineIntervalMs) return;
    saidAt = now;
    say(`${title}: ${describeProgress(counted, { all, passedMs: now - begunAt })}`);
  };
}

function describeProgress(
  counted: Counted,
  { all, passedMs }: { all: number | null; passedMs: number },
): string {
  const [first = ['', 0]] = Object.entries(counted);
  const [noun, count] = first;
  const seconds = Math.max(passedMs / perSecond, 0.001);
  const whole = all === null || all < count ? '' : ` of ${formatNumber(all)}`;
  const rates = [`${formatNumber(count / seconds)} ${noun}/s`];
  if (counted.bytes !== undefined && counted.bytes > 0)
    rates.push(`${formatBytes(counted.bytes)}, ${formatBytes(counted.bytes / seconds)}/s`);
  const left = all === null || count === 0 || all <= count ? null : ((all - count) * seconds) / count;
  const end = left === null ? '' : `, about ${formatSeconds(left)} left`;
  return `${formatNumber(count)}${whole} ${noun}, ${rates.join(', ')}${end}`;
}

export function formatNumber(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_024 && unit < units.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

const minuteSeconds = 60;
const hourSeconds = 3_600;

export function formatSeconds(seconds: number): string {
  if (seconds < 2 * minuteSeconds) return `${Math.ceil(seconds)} s`;
  if (seconds < 2 * hourSeconds) return `${Math.round(seconds / minuteSeconds)} min`;
  return `${(seconds / hourSeconds).toFixed(1)} h`;
}
