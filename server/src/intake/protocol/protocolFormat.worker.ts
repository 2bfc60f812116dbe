/** Bodies of other programs' protocols: which one it is says the request. */
import { extname } from 'node:path';
import { type Protocol, protocols, writeNothing } from '@tapedeck/log-protocols';
import { levelSynonyms } from '@tapedeck/log-query-language';
import { limits } from '../../vocabulary.ts';
import { type EntryFormat, readTranslatedHere } from '../entryFormat.ts';
import { findSent, type Places } from './entryChecks.ts';

export type ProtocolOptions = Places & {
  /** The name of the protocol. */
  protocol: string;
  /** What the request says beside its body. */
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
