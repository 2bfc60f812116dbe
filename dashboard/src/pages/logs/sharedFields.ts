/** Finds values that all listed entries share, so that rows can omit them. */
import type { LogEntry } from '../../queries/logs.ts';
import { nameMetadata } from './queryFilters.ts';

const usualEntriesMin = 20; // fewer rows may agree by chance

export type SharedFields = {
  /** True if all entries have the same dataset. */
  dataset: boolean;
  /** True if all entries have the same resource. */
  resource: boolean;
  /** Metadata paths with the same value in all entries. */
  paths: ReadonlySet<string>;
  /** The values that rows omit, except for the dataset. */
  pairs: readonly (readonly [name: string, value: string])[];
};

/** `entriesMin`: how many entries must agree to omit more than the dataset. */
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
