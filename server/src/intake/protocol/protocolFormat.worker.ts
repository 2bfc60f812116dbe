/** Reads bodies of other programs' protocols. Each entry is checked against the limits and the retention of its dataset. */
import { extname } from 'node:path';
import type { ItemRules, TimeRange } from '@tapedeck/log-entries';
import {
  type Judgement,
  type Protocol,
  protocols,
  type SentEntry,
  writeNothing,
} from '@tapedeck/log-protocols';
import { levelSynonyms } from '@tapedeck/log-query-language';
import { requireDatasetName, requireDatasetScope } from '../../domain/logs/datasetRules.ts';
import { limits } from '../../vocabulary.ts';
import { type EntryFormat, type FoundEntries, readTranslatedHere } from '../entryFormat.ts';

/** Datasets that the request may write to. */
export type Places = {
  /** The dataset of entries that name none. */
  dataset: string;
  /** Datasets that the token is limited to; null: any. */
  datasets: readonly string[] | null;
  /** The times that a dataset takes, where it has a retention of its own; those of others are in the rules. */
  ranges: Readonly<Record<string, TimeRange>>;
};

export type ProtocolOptions = Places & {
  /** The name of the protocol. */
  protocol: string;
  /** The request besides its body. */
  said: object;
};

/** How levels are called in the field, and how long a body may be once it is unpacked. */
const rulesOfReading = { levels: levelSynonyms, bytesMax: limits.logBatchBytesMax };

const protocolsByName: ReadonlyMap<string, Protocol> = new Map(protocols.map(each => [each.name, each]));

export const format: EntryFormat<ProtocolOptions> = {
  module: new URL(`./protocolFormat.worker${extname(import.meta.url)}`, import.meta.url).href,
  readHere: readTranslatedHere,
  plain: null,
  plainSent: {
    write: (task, body, { protocol, said }) =>
      requireProtocol(protocol).write(task, body, { ...rulesOfReading, options: said }),
  },
  read(body, options, rules) {
    const rulesHere = { ...rulesOfReading, usualDataset: options.dataset };
    const { entries, judgement } = requireProtocol(options.protocol).read(body, options.said, rulesHere);
    return findSent({ entries, places: options, rules }, judgement);
  },
};

/** Whether the protocol writes bodies without making values of them. */
export function hasWriter({ protocol }: Pick<ProtocolOptions, 'protocol'>): boolean {
  return requireProtocol(protocol).write !== writeNothing;
}

function requireProtocol(name: string): Protocol {
  const protocol = protocolsByName.get(name);
  if (protocol === undefined) throw new Error(`There is no protocol ${name}.`);
  return protocol;
}

type Sent = { entries: readonly SentEntry[]; places: Places; rules: ItemRules };

/** For protocols that know one answer for a body: an entry that is not taken refuses them all. */
const allOrNothing: Judgement = {
  refuse(_, failure) {
    throw failure;
  },
  show: () => null,
};

/** Returns the rules for entries of a dataset. Throws if the request may not write there. */
export function openRules(places: Places, rules: ItemRules): (dataset: string) => ItemRules {
  const scopes = { datasets: places.datasets && new Set(places.datasets) };
  return dataset => {
    requireDatasetName(dataset);
    requireDatasetScope(scopes, dataset);
    const range = Object.hasOwn(places.ranges, dataset) ? places.ranges[dataset] : undefined;
    return range ? { ...rules, range } : rules;
  };
}

function findSent({ entries, places, rules }: Sent, judgement: Judgement | null): FoundEntries {
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
