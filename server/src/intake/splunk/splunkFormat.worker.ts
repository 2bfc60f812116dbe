/** The format of Splunk's event collector. One event that is not taken refuses them all; the answer says which. */
import { extname } from 'node:path';
import { readSplunkEvents, readSplunkRaw, writeSplunkEvents } from '@tapedeck/log-protocols';
import { type EntryFormat, readTranslatedHere } from '../entryFormat.ts';
import { findSent, type Places, wording } from '../protocol/judge.ts';

type SplunkOptions = Places & {
  /** What the address says of raw lines; null: the body holds events. */
  raw: Readonly<Record<string, string>> | null;
};

export const format: EntryFormat<SplunkOptions> = {
  module: new URL(`./splunkFormat.worker${extname(import.meta.url)}`, import.meta.url).href,
  readHere: readTranslatedHere,
  plain: null,
  plainSent: {
    write(task, body, { raw }) {
      const traceId = raw === null ? writeSplunkEvents(task, body, wording) : null;
      return traceId === null ? null : { traceId, shown: null };
    },
  },
  read(body, options, rules) {
    const { raw } = options;
    const entries = raw === null ? readSplunkEvents(body, wording) : readSplunkRaw(body, raw, wording);
    return findSent({ entries, places: options, rules });
  },
};
