/** Fits the widths of columns to their contents, within bounds. */
import { type CSSProperties, useMemo } from 'react';
import { hasHalfDays } from '../../../format/locale.ts';
import { isOfYear } from '../../../format/times.ts';
import { readField } from '../columns.ts';
import { isGap, type Row } from '../results.ts';
import type { View } from '../view.ts';

const rowsLookedAt = 100; // the first page; loading more keeps the widths
const characters = { least: 6, most: 28, step: 4 };
const characterRem = 0.46; // a monospace font at 0.76 rem
const messageRem = 16;
const timeRem = { ofThisYear: 10.4, ofAnyYear: 13.2, halfDay: hasHalfDays ? 1.4 : 0 };
const levelRem = 2.9;

/** Returns CSS variables for the column widths of rows and header, and the width below which the list scrolls sideways. */
export function useColumnWidths(rows: readonly Row[], { columns, zone }: View): CSSProperties {
  const longest = useMemo(() => {
    const first = rows.slice(0, rowsLookedAt).flatMap(row => (isGap(row) ? [] : [row]));
    return columns.map(name => {
      const lengths = first.map(entry => readField(entry, name)?.length ?? 0);
      return clamp(Math.max(name.length + 3, ...lengths));
    });
  }, [rows, columns]);
  const hasYears = useMemo(
    () => rows.some(row => !isGap(row) && !isOfYear(row.timestamp, Date.now(), zone)),
    [rows, zone],
  );
  const key = `${hasYears} ${longest.join(' ')}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for what it is made of
  return useMemo(() => {
    const widths = [
      (hasYears ? timeRem.ofAnyYear : timeRem.ofThisYear) + timeRem.halfDay,
      levelRem,
      ...longest.map(count => count * characterRem),
    ];
    const least = widths.reduce((sum, width) => sum + width, messageRem);
    // React's types do not know CSS variables.
    return {
      '--lines': `${widths.map(width => `${width.toFixed(2)}rem`).join(' ')} minmax(0, 1fr)`,
      '--lines-min': columns.length > 0 ? `${least.toFixed(2)}rem` : '0px',
    } as CSSProperties;
  }, [key]);
}

function clamp(length: number): number {
  const { least, most, step } = characters;
  return Math.min(most, Math.max(least, Math.ceil(length / step) * step));
}
