/** Reads the body of an old log request, in whichever thread: its entries, and what makes an item of each. */
import { extname } from 'node:path';
import { isObject, type JsonObject } from '@tapedeck/json-values';
import { addMended, type MendedMetadata } from '../../domain/logs/intake/mending.ts';
import type { ForeignForm, ReadEntries } from '../../domain/ports/drafts.ts';
import { levelSynonyms } from '../fieldSpellings.ts';
import { type EntriesPlace, findEntries } from './logEntries.ts';
import { mendItem } from './logItems.ts';

/** Bundles hold `.js` beside this module, the repository `.ts`. */
const threadModule = new URL(`./logReader.worker${extname(import.meta.url)}`, import.meta.url);

/** The form that the body has at such a place. */
export function formOf(place: EntriesPlace): ForeignForm {
  return { readEntries, module: threadModule.href, options: place };
}

export const readEntries: ReadEntries = (body, options) => {
  // `formOf` is all that gives them.
  const { entries, shared: wrapped } = findEntries(body, options as EntriesPlace);
  const shared = keepLeaves(wrapped);
  return {
    entries,
    translate: (entry, range) => mendItem(isObject(entry) ? entry : {}, { range, levelSynonyms, shared }),
  };
};

/** What entries have room for of the things they share: found once, for there may be as many as entries. */
function keepLeaves(shared: JsonObject): JsonObject {
  const leaves: MendedMetadata = new Map();
  addMended(leaves, '', shared);
  return Object.fromEntries(leaves);
}
