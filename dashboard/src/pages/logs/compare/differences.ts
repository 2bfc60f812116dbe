/** Compares two time spans: finds values that occur more or less often, clearest first. */

export type Difference = {
  field: string;
  value: string;
  /** If set, these find the entries in place of `value`. */
  values?: readonly string[];
  /** Shown in place of the value: a pattern's template. */
  label: string;
  /** Metadata paths with a placeholder in the pattern's template. */
  paths?: readonly string[];
  now: number;
  before: number;
};

export const entriesMin = 5; // fewer in both spans may be chance
const deviationsMin = 3; // chance alone reaches this among a hundred values

/** Returns the distance of two counts in standard deviations of their difference; negative if there are fewer now. */
export function weigh({ now, before }: Pick<Difference, 'now' | 'before'>): number {
  return now + before === 0 ? 0 : (now - before) / Math.sqrt(now + before);
}

/** All entries of both spans, and the number of values compared. */
type Totals = Pick<Difference, 'now' | 'before'> & { compared: number };

/** Omits counts that only rise or fall with all entries. */
export function rankDifferences(all: readonly Difference[], { now, before, compared }: Totals): Difference[] {
  const growth = now > 0 && before > 0 ? now / before : null;
  const deviations = findDeviations(Math.max(compared, all.length));
  return all
    .filter(each => {
      const weight = weigh(each);
      const isClear = Math.max(each.now, each.before) >= entriesMin && Math.abs(weight) >= deviations;
      if (!isClear || growth === null) return isClear;
      const share = weighShare(each, growth);
      return Math.abs(share) >= deviations && weight * share > 0;
    })
    .sort((one, other) => Math.abs(weigh(other)) - Math.abs(weigh(one)));
}

/** With more values, chance moves some of them further: of a thousand players some seem to be gone. */
function findDeviations(values: number): number {
  return Math.max(deviationsMin, Math.sqrt(2 * Math.log(values)));
}

/** Like `weigh`, against the count expected if it had grown like all entries. */
function weighShare({ now, before }: Pick<Difference, 'now' | 'before'>, growth: number): number {
  return (now - before * growth) / Math.sqrt(now + before * growth * growth);
}

/** `new`, `12× as often`, `50 % as often`, `gone`. */
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
