/** Reads bodies of other programs' protocols. Checks each entry against the limits and the retention of its dataset. */
import { extname } from 'node:path';
import { requireDatasetName, requireDatasetScope } from '@tapedeck/domain/logs/datasetRules';
import { limits } from '@tapedeck/domain/vocabulary';
import type { ItemRules, TimeRange } from '@tapedeck/log-entries';
import {
  type Protocol,
  protocols,
  type Refusals,
  type SentEntry,
  writeNothing,
} from '@tapedeck/log-protocols';
import { levelSynonyms } from '@tapedeck/log-query-language';
import { type EntryFormat, type FoundEntries, readTranslatedHere } from '../entryFormat.ts';

/** Datasets that the request may write to. */
export type AllowedDatasets = {
  /** The dataset of entries that name none. */
  dataset: string;
  /** The datasets that the token is limited to; null: any. */
  datasets: readonly string[] | null;
  /** The accepted times of datasets with their own retention. The rules hold the range of all others. */
  ranges: Readonly<Record<string, TimeRange>>;
};

export type ProtocolOptions = AllowedDatasets & {
  protocol: string;
  /** The request besides its body. */
  said: object;
};

/** The common names of levels, and the size limit of an unpacked body. */
const rulesOfReading = { levels: levelSynonyms, bytesMax: limits.logBatchBytesMax };

const protocolsByName: ReadonlyMap<string, Protocol> = new Map(protocols.map(each => [each.name, each]));

export const format: EntryFormat<ProtocolOptions> = {
  module: new URL(`./protocolFormat.worker${extname(import.meta.url)}`, import.meta.url).href,
  readHere: readTranslatedHere,
  unpacksLarge: (body, { protocol, said }) => requireProtocol(protocol).unpacksLarge(body, said),
  plain: null,
  plainSent: {
    write: (task, body, { protocol, said }) =>
      requireProtocol(protocol).write(task, body, { ...rulesOfReading, options: said }),
  },
  read(body, options, rules) {
    const rulesHere = { ...rulesOfReading, usualDataset: options.dataset };
    const { entries, refusals } = requireProtocol(options.protocol).read(body, options.said, rulesHere);
    return findSent({ entries, places: options, rules }, refusals);
  },
};

/** Returns whether the protocol writes bodies without parsing values. */
export function hasWriter({ protocol }: Pick<ProtocolOptions, 'protocol'>): boolean {
  return requireProtocol(protocol).write !== writeNothing;
}

function requireProtocol(name: string): Protocol {
  const protocol = protocolsByName.get(name);
  if (protocol === undefined) throw new Error(`There is no protocol ${name}.`);
  return protocol;
}

type Sent = { entries: readonly SentEntry[]; places: AllowedDatasets; rules: ItemRules };

/** For protocols with a single answer per body: one refused entry refuses them all. */
const allOrNothing: Refusals = {
  refuse(_, failure) {
    throw failure;
  },
  show: () => null,
};

/** Returns the rules for entries of a dataset. Throws if the request may not write there. */
export function openRules(places: AllowedDatasets, rules: ItemRules): (dataset: string) => ItemRules {
  const scopes = { datasets: places.datasets && new Set(places.datasets) };
  return dataset => {
    requireDatasetName(dataset);
    requireDatasetScope(scopes, dataset);
    const range = Object.hasOwn(places.ranges, dataset) ? places.ranges[dataset] : undefined;
    return range ? { ...rules, range } : rules;
  };
}

function findSent({ entries, places, rules }: Sent, refusals: Refusals | null): FoundEntries {
  const rulesOf = openRules(places, rules);
  // It always gets one of these entries.
  const datasetOf = (entry: unknown) => (entry as SentEntry).dataset ?? places.dataset;
  const { refuse, show } = refusals ?? allOrNothing;
  const only = refusals === null ? findOnly(entries.map(datasetOf)) : null;
  const options = { datasetOf, rulesOf, refuse, only };
  return { entries, translate: null, parentIsFirst: false, places: options, show };
}

/** Returns null if there are several, or none. */
function findOnly([first, ...others]: readonly string[]): string | null {
  return first !== undefined && others.every(other => other === first) ? first : null;
}
