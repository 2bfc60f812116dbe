/** Labels a chart's axes: counts, and times as short as possible. */
import type uPlot from 'uplot';
import { hourCycle, hourDigits, locale } from '../../format/locale.ts';
import { isOfYear, keepByZone, type Zone } from '../../format/times.ts';

const monthSeconds = 28 * 86_400;

/** Returns the length of a bar in seconds. */
export function intervalOf(times: readonly number[]): number {
  return (times[1] ?? (times[0] ?? 0) + 60) - (times[0] ?? 0);
}

/** Returns half the longest label's width, because a label may be at the very end. */
export function rightPixelsOf([first = 0]: readonly number[]): number {
  return isOfYear(first * 1000, Date.now()) ? 30 : 44;
}

function labelPixels(_: uPlot, _axis: number, start: number): number {
  return isOfYear(start * 1000, Date.now()) ? 80 : 104;
}

const [valuePixelsMin, signPixels, edgePixels] = [48, 6.7, 8];

/** Returns the width of the labels beside a chart. `null` before there are any. */
export function valuePixelsOf(labels: readonly string[] | null): number {
  const longest = Math.max(0, ...(labels ?? []).map(label => label.length));
  return Math.max(valuePixelsMin, Math.ceil(longest * signPixels) + edgePixels);
}

const [valueSpacePixels, valueSpacePixelsMin] = [28, 14];

/** Returns the least distance of two labels. A low chart, as on a phone, has more than that of zero. */
export function spaceValues(heightPixels: number): number {
  return Math.min(valueSpacePixels, Math.max(valueSpacePixelsMin, Math.floor(heightPixels / 2)));
}

type AxesProps = {
  formatValue: (value: number) => string;
  isDaily: boolean;
  zone: Zone;
  /** True for counts. */
  isWhole: boolean;
};

export function composeAxes(
  { formatValue, isDaily, zone, isWhole }: AxesProps,
  { muted, line }: { muted: string; line: string },
): uPlot.Axis[] {
  const axis = {
    stroke: muted,
    font: '11px ui-monospace, Menlo, Consolas, monospace',
    ticks: { show: false },
  };
  return [
    {
      ...axis,
      size: 26,
      gap: 7,
      space: labelPixels,
      grid: { show: false },
      values: isDaily ? writeDays : (_, seconds) => writeTimes(seconds, zone),
    },
    {
      ...axis,
      size: (_, labels) => valuePixelsOf(labels),
      gap: 4,
      space: (...[, , , , heightPixels]) => spaceValues(heightPixels),
      grid: { stroke: line, width: 1 },
      values: (_, splits) =>
        splits.map(value => (!isWhole || Number.isInteger(value) ? formatValue(value) : '')),
    },
  ];
}

const formatsOf = keepByZone(createFormats);

function createFormats(zone: Intl.DateTimeFormatOptions) {
  const create = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...zone, ...options });
  return {
    clock: create({ hour: hourDigits, minute: '2-digit', hourCycle }),
    clockWithSeconds: create({ timeStyle: 'medium', hourCycle }),
    hourOfDay: create({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    date: create({ month: 'short', day: 'numeric' }),
    dateOfYear: create({ dateStyle: 'medium' }),
    month: create({ month: 'short', year: 'numeric' }),
  };
}

/** Writes dates at midnight, else times; with the year if the range began in another year. */
function writeTimes(seconds: readonly number[], zone: Zone): string[] {
  const { clock, clockWithSeconds, hourOfDay, date, dateOfYear, month } = formatsOf(zone);
  const [first = 0, second = 0] = seconds;
  const step = second - first;
  const isOld = !isOfYear(first * 1000, Date.now(), zone);
  const dates = isOld ? (step >= monthSeconds ? month : dateOfYear) : date;
  return seconds.map(at => {
    const instant = new Date(at * 1000);
    const isMidnight = hourOfDay.format(instant) === '00:00';
    if (step >= 86_400 || isMidnight) return dates.format(instant);
    return (step < 60 ? clockWithSeconds : clock).format(instant);
  });
}

/** Leaves out the day after the last bar, which has not come. */
function writeDays({ data: [times] }: uPlot, seconds: number[]): string[] {
  const last = times.at(-1) ?? 0;
  return seconds.map(at => (at > last ? '' : formatsOf('utc').date.format(new Date(at * 1000))));
}
