/** Checks each entry that a protocol's reader found against the limits and the retention of its dataset. */
import type { ItemRules, TimeRange } from '@tapedeck/log-entries';
import type { Judgement, SentEntry } from '@tapedeck/log-protocols';
import { requireDatasetName, requireDatasetScope } from '../../domain/logs/datasetRules.ts';
import type { FoundEntries } from '../entryFormat.ts';

/** Where the request's entries may go. */
export type Places = {
  /** The dataset of entries that name none. */
  dataset: string;
  /** Datasets that the token is limited to; null: any. */
  datasets: readonly string[] | null;
  /** The times that a dataset takes, where it has a retention of its own; those of others are in the rules. */
  ranges: Readonly<Record<string, TimeRange>>;
};

type Sent = { entries: readonly SentEntry[]; places: Places; rules: ItemRules };

/** For protocols that know one answer for a body: an entry that is not taken refuses them all. */
const allOrNothing: Judgement = {
  refuse(_, failure) {
    throw failure;
  },
  show: () => null,
};

/** By which rules entries of a dataset are judged. Throws where the request may not bring any there. */
export function openRules(places: Places, rules: ItemRules): (dataset: string) => ItemRules {
  const scopes = { datasets: places.datasets && new Set(places.datasets) };
  return dataset => {
    requireDatasetName(dataset);
    requireDatasetScope(scopes, dataset);
    const range = Object.hasOwn(places.ranges, dataset) ? places.ranges[dataset] : undefined;
    return range ? { ...rules, range } : rules;
  };
}

export function findSent({ entries, places, rules }: Sent, judgement: Judgement | null): FoundEntries {
  const rulesOf = openRules(places, rules);
  // What it is given is one of these entries.
  const datasetOf = (entry: unknown) => (entry as SentEntry).dataset ?? places.dataset;
  const { refuse, show } = judgement ?? allOrNothing;
  const only = judgement === null ? findOnly(entries.map(datasetOf)) : null;
  const judged = { datasetOf, rulesOf, refuse, only };
  return { entries, translate: null, parentIsFirst: false, places: judged, show };
}

/** null when there are several, or none. */
function findOnly([first, ...others]: readonly string[]): string | null {
  return first !== undefined && others.every(other => other === first) ? first : null;
}
