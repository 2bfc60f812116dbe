/** Names and colours the lines of a chart. */
import type { LogLevel } from '@tapedeck/client';
import type { DrawnSeries } from '../../../queries/logSeries.ts';
import { levelLooks } from '../levels.ts';

export type SeriesLine = {
  name: string;
  /** null for all entries, or all others. */
  value: string | null;
  variable: string;
  values: readonly (number | null)[];
};

const colours = 8;

export function nameLines({ series }: DrawnSeries, by: string | null): readonly SeriesLine[] {
  return series.map(({ value, points }, index) => ({
    name: value === null ? (by === null ? 'All' : 'All others') : value || 'empty',
    value,
    variable: chooseColour(value, by, index),
    values: points,
  }));
}

/** Levels keep their usual colours; "All others" is neutral. */
function chooseColour(value: string | null, by: string | null, index: number): string {
  if (value === null && by !== null) return '--level-debug';
  // Only a level is one of its keys.
  const looks = by === 'level' ? levelLooks[value as LogLevel] : undefined;
  return looks?.variable ?? `--series-${(index % colours) + 1}`;
}

export function sumLine({ values }: SeriesLine): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}
