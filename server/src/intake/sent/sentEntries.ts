/** Judges what a protocol's reader found: each entry by itself, under the limits and the retention of its own dataset. */
import { Failure } from '@tapedeck/failures';
import { createItemJudge, type ItemRules, type TimeRange } from '@tapedeck/log-entries';
import type { SentEntry } from '@tapedeck/log-protocols';
import { levelSynonyms } from '@tapedeck/log-query-language';
import { requireDatasetName, requireDatasetScope } from '../../domain/datasetRules.ts';
import type { FoundEntries } from '../entryFormat.ts';

/** What a request says of the places that its entries may go to. */
export type Places = {
  /** Of entries that name none. */
  dataset: string;
  /** Those that the token is for; null: any. */
  datasets: readonly string[] | null;
  /** The times that a dataset takes, where it has a retention of its own; those of others are in the rules. */
  ranges: Readonly<Record<string, TimeRange>>;
};

/** How levels are called in the field. */
export const wording = { levels: levelSynonyms };

/** Why an entry is not taken. */
export type Refusal = { index: number; code: string; sentence: string };

type Judged = { entries: SentEntry[]; refusals: Refusal[] };

/** Those that are taken, and why the others are not. */
export function judgeEach(entries: readonly SentEntry[], places: Places, rules: ItemRules): Judged {
  const judge = openJudge(places, rules);
  const judged: Judged = { entries: [], refusals: [] };
  for (const [index, entry] of entries.entries()) {
    try {
      judge(entry, index);
      judged.entries.push(entry);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      judged.refusals.push({ index, code: error.code, sentence: error.message });
    }
  }
  return judged;
}

/** Throws at the first that is not taken. */
export function requireAll(entries: readonly SentEntry[], places: Places, rules: ItemRules): FoundEntries {
  const judge = openJudge(places, rules);
  for (const [index, entry] of entries.entries()) judge(entry, index);
  return findAll(entries, places, null);
}

/** As entries to store that were judged before. */
export function findAll(entries: readonly SentEntry[], { dataset }: Places, shown: unknown): FoundEntries {
  // What it is given is one of these entries.
  const datasetOf = (entry: unknown) => (entry as SentEntry).dataset ?? dataset;
  return { entries, translate: null, parentIsFirst: false, datasetOf, shown };
}

function openJudge(places: Places, rules: ItemRules): (entry: SentEntry, index: number) => void {
  const scopes = { datasets: places.datasets && new Set(places.datasets) };
  const known = new Map<string, ReturnType<typeof createItemJudge>>();
  return (entry, index) => {
    const dataset = entry.dataset ?? places.dataset;
    let judge = known.get(dataset);
    if (judge === undefined) {
      requireDatasetName(dataset);
      requireDatasetScope(scopes, dataset);
      const range = Object.hasOwn(places.ranges, dataset) ? places.ranges[dataset] : undefined;
      judge = createItemJudge(range ? { ...rules, range } : rules);
      known.set(dataset, judge);
    }
    judge(entry, index);
  };
}
