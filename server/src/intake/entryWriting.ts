/** Writes the entries that a format found: into a batch, or into drafts if they go to several datasets. */

import { ServiceError } from '@tapedeck/domain/vocabulary';
import {
  createItemWriter,
  formatTraceId,
  type ItemSink,
  type Stamper,
  writeItem,
} from '@tapedeck/log-entries';
import type { DraftRows } from '@tapedeck/log-store';
import { openDrafts } from '@tapedeck/log-store/rows';
import { Failure } from '@tapedeck/values/failure';
import type { EntryDatasets, FoundEntries } from './entryFormat.ts';

/** Stands for the time of receipt among a draft's times. No entry may use this time itself. */
export const unstampedMicros = 0xffffffff * 2 ** 32;

/** Leaves the stamps to the batch. */
export const noStamps: Stamper = {
  begin() {},
  takeBack() {},
  stampTime(row) {
    row.timestampMicros = unstampedMicros;
  },
  stampIdentity() {},
};

/** Returns the traceId of the first entry; null: no entries. */
export function writeEntries(
  sink: ItemSink,
  { entries, translate, parentIsFirst }: FoundEntries,
): string | null {
  if (entries.length === 0) return null;
  const writer = createItemWriter(sink);
  writeItem(writer, translate ? translate(entries[0]) : entries[0]);
  const traceId = formatTraceId(writer.row);
  for (let index = 1; index < entries.length; index++) {
    const item = translate ? translate(entries[index]) : entries[index];
    writeItem(writer, parentIsFirst ? { ...(item as object), parentId: traceId } : item); // a translation makes objects
  }
  return traceId;
}

/** Entries for one dataset; null: the request's dataset. */
export type DraftGroup = { dataset: string | null; draft: DraftRows };

const datasetsMax = 500; // each becomes a batch, which takes the main thread 20 microseconds
const columnBytesMin = 1024; // each dataset has a dozen
const columnBytesMax = 64 * 1024; // columns beyond that grow as needed

/** Checks each entry while writing it, by its own dataset's rules. */
export function draftEntries(
  entries: readonly unknown[],
  places: EntryDatasets,
  bodyBytes: number,
): DraftGroup[] {
  const drafts = openDrafts();
  const groups = new Map<string, ReturnType<typeof open>>();
  const open = (dataset: string) => {
    if (groups.size === datasetsMax) throw tooManyError();
    const rules = places.rulesOf(dataset);
    const columnBytes = groups.size === 0 ? Math.min(bodyBytes, columnBytesMax) : 0;
    const draft = drafts.open(Math.max(columnBytesMin, columnBytes & ~3)); // only whole words
    const group = { draft, writer: createItemWriter({ batch: draft.sink, stamper: noStamps, rules }) };
    groups.set(dataset, group);
    return group;
  };
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index];
    let group: ReturnType<typeof open> | undefined;
    try {
      const dataset = places.datasetOf(entry);
      group = groups.get(dataset) ?? open(dataset);
      group.draft.beginRow();
      group.writer.index = index;
      writeItem(group.writer, entry);
    } catch (error) {
      if (!(error instanceof Failure) || error.code === 'body_too_large') throw error;
      group?.draft.cancelRow();
      places.refuse(index, error);
    }
  }
  return Array.from(groups, ([dataset, { draft }]) => ({ dataset, draft: draft.take() })).filter(hasRows);
}

function hasRows(group: {
  dataset: string;
  draft: DraftRows | null;
}): group is { dataset: string; draft: DraftRows } {
  return group.draft !== null;
}

function tooManyError(): ServiceError {
  return new ServiceError(
    'body_too_large',
    `A request may name at most ${datasetsMax} datasets; send their entries in several.`,
  );
}
