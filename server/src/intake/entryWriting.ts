/** Writes what a format found in a body into a batch, entry by entry. */
import { createItemWriter, formatTraceId, type ItemSink, writeItem } from '@tapedeck/log-entries';
import type { FoundEntries } from './entryFormat.ts';

/** Returns the traceId of the first. */
export function writeEntries(sink: ItemSink, { entries, translate, parentIsFirst }: FoundEntries): string {
  const writer = createItemWriter(sink);
  writeItem(writer, translate ? translate(entries[0]) : entries[0]);
  const traceId = formatTraceId(writer.row);
  for (let index = 1; index < entries.length; index++) {
    const item = translate ? translate(entries[index]) : entries[index];
    writeItem(writer, parentIsFirst ? { ...(item as object), parentId: traceId } : item); // made by a translation: an object
  }
  return traceId;
}
