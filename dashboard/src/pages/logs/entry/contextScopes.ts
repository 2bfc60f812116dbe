/** Narrows the context of an entry to its resource, server or player. */
import type { LogEntry } from '../../../queries/logs.ts';
import { nameMetadata, toggleOnly } from '../queryFilters.ts';

type ContextScope = {
  /** The query for this scope; empty for the whole dataset. */
  value: string;
  label: string;
  /** The field to share with the entry; empty for none. */
  field: string;
};

const valueCharactersMax = 40; // fits a menu's width
const fieldsMax = 3; // each, for servers and players
const shared = {
  server: /(?:^|\.)(?:server|host|instance|universe|job)(?:[._]?(?:id|name))?$/i,
  player: /(?:^|\.)(?:player|user|character|steam|license|discord)(?:[._]?(?:id|name|identifier))?$/i,
};

export function listContextScopes({ resource, metadata }: LogEntry): ContextScope[] {
  const names = Object.keys(metadata).filter(path => path !== '' && metadata[path] !== '');
  const found = Object.values(shared).flatMap(pattern =>
    names.filter(path => pattern.test(path)).slice(0, fieldsMax),
  );
  const fields = [...new Set(found)].map(path => ({ name: nameMetadata(path), text: metadata[path] ?? '' }));
  return [
    { value: '', label: 'Everything', field: '' },
    ...(resource === '' ? [] : [makeScope('resource', resource)]),
    ...fields.map(({ name, text }) => makeScope(name, text)),
  ];
}

function makeScope(name: string, text: string): ContextScope {
  const shown = text.length > valueCharactersMax ? `${text.slice(0, valueCharactersMax)}…` : text;
  return { value: toggleOnly('', name, text), label: `Only ${name} ${shown}`, field: name };
}
