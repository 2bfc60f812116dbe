/** Forecasts when the quota will be full, as roughly as the data allows. */

import { formatBytes } from '../../format/sizes.ts';
import type { Machine } from '../../queries/machine.ts';
import type { Storage } from '../../queries/storage.ts';

const daysAMonth = 30;
const daysAYear = 365;
const monthsFrom = 90;
const yearsFrom = 2 * daysAYear;
const forLong = 10 * daysAYear;

/** `about 40 days` */
export function formatDaysLeft(days: number): string {
  if (days < 1) return 'less than a day';
  if (days >= forLong) return 'more than ten years';
  const [amount, unit] =
    days >= yearsFrom
      ? [Math.floor(days / daysAYear), 'year']
      : days >= monthsFrom
        ? [Math.floor(days / daysAMonth), 'month']
        : [Math.floor(days), 'day'];
  return `about ${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

/** `+1.2 GiB a day` */
export function formatGrowth(bytesADay: number): string {
  if (bytesADay === 0) return 'No growth';
  return `${bytesADay > 0 ? '+' : '−'}${formatBytes(Math.abs(bytesADay))} a day`;
}

const unknown = 'Forecast available after one day.';

export function describeQuota({ bytesMax, pace, quotaDaysLeft }: Storage): string {
  if (bytesMax !== null && quotaDaysLeft === 0) return 'The quota is full. New files are refused.';
  if (pace === null) return unknown;
  const growth = formatGrowth(pace.mediaBytesADay + pace.logBytesADay);
  if (bytesMax === null) return `${growth}; no quota.`;
  if (quotaDaysLeft === null) return `${growth}; quota not filling up.`;
  return `${growth}; quota full in ${formatDaysLeft(quotaDaysLeft)} at this rate.`;
}

export function describeDisk({ bytesADay, daysLeft, holds }: Machine['disk']): string {
  if (!holds.files && !holds.logs) return 'Files and logs are stored elsewhere.';
  if (bytesADay === null) return unknown;
  if (daysLeft === null) return `${formatGrowth(bytesADay)}; not filling up.`;
  return `Full in ${formatDaysLeft(daysLeft)} at this rate (${formatGrowth(bytesADay)}).`;
}
