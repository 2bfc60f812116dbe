/** Describes how many entries arrive, in numbers that people say. */
import { countThings, formatCount } from '../../format/numbers.ts';

const minutesAnHour = 60;
const wholeMin = 10; // above this, fractions are useless

type Rates = { all: number; hours: number; mostAMinute: number };

export function describeRates({ all, hours, mostAMinute }: Rates): string {
  const average = all / (hours * minutesAnHour);
  if (all === 0) return `Nothing in the last ${hours} hours`;
  if (average * minutesAnHour < wholeMin)
    return `${countThings(all, 'entry', 'entries')} in the last ${hours} hours`;
  return `About ${formatRate(average)} on average, ${formatRate(mostAMinute)} at peak`;
}

/** `64 a minute`, or `3 entries`, which are too few for a rate. */
export function formatRecentRate(count: number, minutes: number): string {
  return count < minutes ? countThings(count, 'entry', 'entries') : formatRate(count / minutes);
}

/** `64 a minute`, `2.5 a minute`, `30 an hour`. */
function formatRate(aMinute: number): string {
  if (aMinute >= 1 || aMinute === 0) return `${formatNumber(aMinute)} a minute`;
  return `${formatNumber(aMinute * minutesAnHour)} an hour`;
}

/** `1,200`, `64`, `6.7`, `2` */
function formatNumber(value: number): string {
  return formatCount(value >= wholeMin ? Math.round(value) : Math.round(value * 10) / 10);
}
