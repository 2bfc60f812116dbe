/** The format of Datadog's intake. One entry that is not taken refuses them all. */
import { extname } from 'node:path';
import { readDatadog, writeDatadog } from '@tapedeck/log-protocols';
import { type EntryFormat, readTranslatedHere } from '../entryFormat.ts';
import { findSent, type Places, wording } from '../protocol/judge.ts';

type DatadogOptions = Places & {
  isJson: boolean;
  /** What the address says of all entries. */
  defaults: Readonly<Record<string, string>>;
};

export const format: EntryFormat<DatadogOptions> = {
  module: new URL(`./datadogFormat.worker${extname(import.meta.url)}`, import.meta.url).href,
  readHere: readTranslatedHere,
  plain: null,
  plainSent: {
    write(task, body, { isJson, defaults }) {
      const traceId = writeDatadog(task, body, { ...wording, isJson, defaults });
      return traceId === null ? null : { traceId, shown: null };
    },
  },
  read(body, options, rules) {
    const { isJson, defaults } = options;
    return findSent({ entries: readDatadog(body, { ...wording, isJson, defaults }), places: options, rules });
  },
};
