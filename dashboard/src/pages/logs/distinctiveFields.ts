/** Finds the fields that set the results apart from all other entries. */

type Counted = { name: string; entries: number };

const ofEveryEntry = 'level';

/** Puts fields first that are more common in the results than among all entries; among equals, the more frequent. */
export function orderDistinctiveFirst<Field extends Counted>(
  found: readonly Field[],
  all: readonly Counted[],
): readonly Field[] {
  const entriesOfAll = new Map(all.map(({ name, entries }) => [name, entries]));
  // New entries arrive between the two counts, so the earlier total may be too small.
  const shareOf = ({ name, entries }: Counted) => entries / Math.max(entriesOfAll.get(name) ?? 0, entries, 1);
  const every = found.find(({ name }) => name === ofEveryEntry);
  const usualShare = every === undefined ? 1 : shareOf(every);
  const weights = new Map(
    found.map(field => [field.name, field.entries * Math.log2(shareOf(field) / usualShare)]),
  );
  const weightOf = ({ name }: Counted) => weights.get(name) ?? 0;
  return found.toSorted((one, other) => weightOf(other) - weightOf(one) || other.entries - one.entries);
}
