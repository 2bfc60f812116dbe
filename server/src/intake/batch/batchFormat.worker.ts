/** The format of V3: a JSON array of entries, as CONTRACT.md, 4.1, spells them. */
import { extname } from 'node:path';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { entryLimits, parseBody, writePlainItems } from '@tapedeck/log-entries';
import type { EntryFormat } from '../entryFormat.ts';

export const format: EntryFormat = {
  module: new URL(`./batchFormat.worker${extname(import.meta.url)}`, import.meta.url).href,
  readHere: {
    bytesMax: 64 * 1024, // JSON.parse takes 60 ns per byte of brackets
    entriesMax: entryLimits.batchItemsMax,
  },
  unpacksLarge: () => false,
  plain: {
    bytesMax: 512 * 1024, // takes some milliseconds
    write: writePlainItems,
  },
  plainSent: null,
  read: body => ({
    entries: requireEntries(parseBody(body)),
    translate: null,
    parentIsFirst: false,
    places: null,
    show: () => null,
  }),
};

function requireEntries(value: unknown): readonly unknown[] {
  if (!Array.isArray(value))
    throw new ServiceError('bad_request', 'The body must be a JSON array of log entries.');
  if (value.length === 0) throw new ServiceError('bad_request', 'The body must hold at least one log entry.');
  if (value.length > entryLimits.batchItemsMax) {
    throw new ServiceError(
      'bad_request',
      `The body may hold at most ${entryLimits.batchItemsMax} log entries; split it.`,
    );
  }
  return value;
}
