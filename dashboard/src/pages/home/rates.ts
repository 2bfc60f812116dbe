/** Describes how many entries arrive a minute. */
import { countThings, formatMeasure } from '../../format/numbers.ts';

const averageMin = 0.1; // a minute; below it the total says more

type Rates = { all: number; hours: number; mostAMinute: number };

export function describeRates({ all, hours, mostAMinute }: Rates): string {
  const average = all / (hours * 60);
  if (all === 0) return `Nothing in the last ${hours} hours`;
  if (average < averageMin) return `${countThings(all, 'entry', 'entries')} in the last ${hours} hours`;
  return `${formatMeasure(average)} on average, ${formatMeasure(mostAMinute)} at most`;
}
