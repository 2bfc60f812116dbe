/** Parses the oldest log formats and repairs what their clients send. */
import { extname } from 'node:path';
import { addFitted, FittedMetadata } from '@tapedeck/log-entries';
import { findLenientEntries, type LenientPlace, repairItem } from '@tapedeck/log-protocols';
import { levelSynonyms } from '@tapedeck/log-query-language';
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { type EntryFormat, readTranslatedHere } from '../../intake/entryFormat.ts';

export const format: EntryFormat<LenientPlace> = {
  module: new URL(`./legacyFormat.worker${extname(import.meta.url)}`, import.meta.url).href,
  readHere: readTranslatedHere,
  unpacksLarge: () => false,
  plain: null,
  plainSent: null,
  read(body, place, { range }) {
    const { entries, shared: wrapped } = findLenientEntries(body, place);
    const shared = keepLeaves(wrapped);
    return {
      entries,
      translate: entry => repairItem(isObject(entry) ? entry : {}, { range, levelSynonyms, shared }),
      parentIsFirst: false,
      places: null,
      show: () => null,
    };
  },
};

/** Cuts shared attributes to the limits of an entry. Does it once, because there may be as many attributes as entries. */
function keepLeaves(shared: JsonObject): FittedMetadata {
  const leaves = new FittedMetadata();
  addFitted(leaves, '', shared);
  return leaves;
}
