/** Compares two time spans: finds values that occur more or less often, the clearest first. */

export type Counted = { value: string; count: number };
export type Difference = {
  field: string;
  value: string;
  /** Shown in place of the value: a pattern's template. */
  label: string;
  /** Metadata paths with a placeholder in the pattern's template. */
  paths?: readonly string[];
  now: number;
  before: number;
};

const entriesMin = 5; // fewer on both sides are chance
const deviationsMin = 3; // of what chance explains

/** How far apart two counts are, in standard deviations of their difference; below 0: there are fewer now. */
export function weigh({ now, before }: Pick<Difference, 'now' | 'before'>): number {
  return now + before === 0 ? 0 : (now - before) / Math.sqrt(now + before);
}

export function rankDifferences(all: readonly Difference[]): Difference[] {
  return all
    .filter(each => Math.max(each.now, each.before) >= entriesMin && Math.abs(weigh(each)) >= deviationsMin)
    .sort((one, other) => Math.abs(weigh(other)) - Math.abs(weigh(one)));
}

/** `new`, `12× as often`, `half as often`, `gone`. */
export function describeChange({ now, before }: Pick<Difference, 'now' | 'before'>): string {
  if (before === 0) return 'new';
  if (now === 0) return 'gone';
  const times = now / before;
  if (times >= 1) return `${write(times)}× as often`;
  return `${Math.max(1, Math.round(times * 100))} % as often`;
}

function write(times: number): string {
  return times >= 10 ? String(Math.round(times)) : times.toFixed(1).replace('.0', '');
}
