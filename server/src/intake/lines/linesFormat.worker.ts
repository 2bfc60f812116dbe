/** The format of lines as programs write them, and of single objects and lists of them. One that is not taken refuses them all. */
import { extname } from 'node:path';
import { type LineNames, readLines, readObjects, writeLines } from '@tapedeck/log-protocols';
import { type EntryFormat, readTranslatedHere } from '../entryFormat.ts';
import { findSent, type Places, wording } from '../protocol/judge.ts';

type LinesOptions = Places & { names: LineNames; isWhole: boolean };

export const format: EntryFormat<LinesOptions> = {
  module: new URL(`./linesFormat.worker${extname(import.meta.url)}`, import.meta.url).href,
  readHere: readTranslatedHere,
  plain: null,
  plainSent: {
    write(task, body, { isWhole, names }) {
      const traceId = isWhole ? null : writeLines(task, body, { ...wording, names });
      return traceId === null ? null : { traceId, shown: null };
    },
  },
  read(body, options, rules) {
    const read = options.isWhole ? readObjects : readLines;
    const entries = read(body, { ...wording, names: options.names });
    return findSent({ entries, places: options, rules });
  },
};
