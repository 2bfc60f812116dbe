/** Writes what a format found in a body into a batch, entry by entry. */
import { createItemWriter, formatTraceId, type ItemSink, writeItem } from '@tapedeck/log-entries';
import type { FoundEntries } from './entryFormat.ts';

type Group = Pick<FoundEntries, 'entries' | 'translate' | 'parentIsFirst'>;

/** The entries of each dataset, in their order; null: that of the request. None where nothing was found. */
export function groupEntries(found: FoundEntries): readonly (Group & { dataset: string | null })[] {
  const { entries, datasetOf, ...common } = found;
  if (entries.length === 0) return [];
  if (datasetOf === null) return [{ ...common, entries, dataset: null }];
  const groups = Map.groupBy(entries, datasetOf);
  return Array.from(groups, ([dataset, those]) => ({ ...common, entries: those, dataset }));
}

/** Returns the traceId of the first. */
export function writeEntries(sink: ItemSink, { entries, translate, parentIsFirst }: Group): string {
  const writer = createItemWriter(sink);
  writeItem(writer, translate ? translate(entries[0]) : entries[0]);
  const traceId = formatTraceId(writer.row);
  for (let index = 1; index < entries.length; index++) {
    const item = translate ? translate(entries[index]) : entries[index];
    writeItem(writer, parentIsFirst ? { ...(item as object), parentId: traceId } : item); // made by a translation: an object
  }
  return traceId;
}
