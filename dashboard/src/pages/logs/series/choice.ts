/** Reads and writes the chosen chart in the address. */
import { limits } from '@tapedeck/client';
import { shorten } from '../../../format/names.ts';
import type { LogField } from '../../../queries/logFields.ts';
import type { LogSearch } from '../search.ts';

/** Each statistic's label, and the fields it accepts; a count needs none. */
export const statistics = {
  count: { label: 'Entries', takes: 'nothing' },
  unique: { label: 'Distinct values', takes: 'any' },
  avg: { label: 'Average', takes: 'number' },
  p50: { label: 'Median (p50)', takes: 'number' },
  p95: { label: 'p95', takes: 'number' },
  p99: { label: 'p99', takes: 'number' },
  min: { label: 'Lowest', takes: 'number' },
  max: { label: 'Highest', takes: 'number' },
  sum: { label: 'Sum', takes: 'number' },
} as const;
export type Statistic = keyof typeof statistics;

export const tops = [3, 5, 8] as const; // up to the number of colours
const topUsual = 5;

export type SeriesChoice = {
  stat: Statistic;
  /** The statistic's field; null if not chosen yet. */
  of: string | null;
  /** The field to group by; null for a single line. */
  by: string | null;
  top: number;
};

/** Returns null for the default chart, levels over time. */
export function readChoice({ chart, of, by, top }: LogSearch): SeriesChoice | null {
  if (chart === undefined) return null;
  const known = Object.keys(statistics).find(word => word === chart);
  return {
    // It is one of the keys.
    stat: (known ?? 'count') as Statistic,
    of: of ?? null,
    by: by ?? null,
    top: tops.find(each => String(each) === top) ?? topUsual,
  };
}

export function writeChoice({ stat, of, by, top }: SeriesChoice): LogSearch {
  return {
    chart: stat,
    of: needsField(stat) ? (of ?? undefined) : undefined,
    by: by ?? undefined,
    top: by === null || top === topUsual ? undefined : String(top),
  };
}

export const noChoice: LogSearch = { chart: undefined, of: undefined, by: undefined, top: undefined };

export function needsField(stat: Statistic): boolean {
  return statistics[stat].takes !== 'nothing';
}

/** Fills in a missing field with the first suitable one. */
export function completeChoice(choice: SeriesChoice, fields: readonly LogField[]): SeriesChoice {
  const { takes } = statistics[choice.stat];
  if (choice.of !== null || takes === 'nothing') return choice;
  return { ...choice, of: fields.find(({ kind }) => takes === 'any' || kind === 'number')?.name ?? null };
}

/** True if values add up. Then lines are stacked; otherwise they are drawn separately. */
export function addsUp(stat: Statistic): boolean {
  return stat === 'count' || stat === 'sum';
}

/** `Entries by resource`, `p95 of durationMs` */
export function describeChoice({ stat, of, by }: SeriesChoice): string {
  const subject = needsField(stat) ? `${statistics[stat].label} of ${of ?? '…'}` : statistics[stat].label;
  return by === null ? subject : `${subject} by ${by}`;
}

/** Suggests a name that tells the chart from others of the same kind. */
export function nameView(choice: SeriesChoice, { query = '' }: LogSearch): string {
  const name = query === '' ? describeChoice(choice) : `${describeChoice(choice)}, ${query}`;
  return shorten(name, limits.nameCharactersMax);
}
