/** The format of lines as programs write them. One that is not taken refuses them all. */
import { extname } from 'node:path';
import { type LineNames, readLines } from '@tapedeck/log-protocols';
import { type EntryFormat, readTranslatedHere } from '../entryFormat.ts';
import { findSent, type Places, wording } from '../sent/sentEntries.ts';

type LinesOptions = Places & { names: LineNames };

export const format: EntryFormat<LinesOptions> = {
  module: new URL(`./linesFormat.worker${extname(import.meta.url)}`, import.meta.url).href,
  readHere: readTranslatedHere,
  plain: null,
  read: (body, options, rules) =>
    findSent({ entries: readLines(body, { ...wording, names: options.names }), places: options, rules }),
};
