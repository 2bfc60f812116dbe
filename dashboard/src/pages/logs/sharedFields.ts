/** Finds values that all entries of a list have in common, so that its lines need not repeat them. */
import type { LogEntry } from '../../queries/logs.ts';
import { nameMetadata } from './queryFilters.ts';

const usualEntriesMin = 20; // fewer lines may look alike by chance

export type SharedFields = {
  /** Whether all entries are of one dataset. */
  dataset: boolean;
  /** Whether all entries come from one resource. */
  resource: boolean;
  /** Paths of metadata with the same value in all entries. */
  paths: ReadonlySet<string>;
  /** The values that lines leave out, except for the dataset. */
  pairs: readonly (readonly [name: string, value: string])[];
};

/** `entriesMin`: how many entries it takes to leave out more than the dataset. */
export function findSharedFields(entries: readonly LogEntry[], entriesMin = usualEntriesMin): SharedFields {
  const [first, ...others] = entries;
  if (first === undefined) return { dataset: true, resource: false, paths: new Set(), pairs: [] };
  const dataset = others.every(entry => entry.dataset === first.dataset);
  if (entries.length < entriesMin) return { dataset, resource: false, paths: new Set(), pairs: [] };
  const resource = first.resource !== '' && others.every(entry => entry.resource === first.resource);
  const same = Object.entries(first.metadata).filter(([path, value]) =>
    others.every(({ metadata }) => metadata[path] === value),
  );
  return {
    dataset,
    resource,
    paths: new Set(same.map(([path]) => path)),
    pairs: [
      ...(resource ? [['resource', first.resource] as const] : []),
      ...same.map(([path, value]) => [nameMetadata(path), value] as const),
    ],
  };
}
