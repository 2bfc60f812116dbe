/** Takes in a body in any format: reads it here or in the thread, and stores its entries. */

import {
  type AddEntries,
  type IngestDeps,
  type IngestReceipt,
  type IngestRequest,
  ingest,
  readRules,
  type WriteEntries,
} from '@tapedeck/domain/logs/intake/ingest';
import type { LogBatch } from '@tapedeck/domain/ports/logs';
import { formatTraceId, type ItemRules, type ItemSink } from '@tapedeck/log-entries';
import type { DraftRows } from '@tapedeck/log-store';
import type { EntryFormat, FoundEntries } from './entryFormat.ts';
import { type DraftGroup, draftEntries, unstampedMicros, writeEntries } from './entryWriting.ts';
import type { ReadingThread } from './thread/readingThread.ts';

export type EntryIntakeDeps = IngestDeps & { reading: ReadingThread };

type Spelling<Options extends object> = { format: EntryFormat<Options>; options: Options };

/** Resolves to null if the body holds no entries and needs none. */
export async function takeEntries<Options extends object>(
  deps: EntryIntakeDeps,
  request: IngestRequest,
  spelling: Spelling<Options>,
): Promise<IngestReceipt | null> {
  const rules = readRules(deps, request);
  const { plain } = spelling.format;
  if (plain === null) {
    // Reads first, because a key stands for what was stored, which may be nothing.
    const { groups } = await readEntries(deps, request, { ...spelling, rules });
    const [receipt = null] = await storeGroups(deps, request, { groups, rules });
    return receipt;
  }
  const { body } = request;
  const store = async (add: AddEntries) => {
    const stored = body.length <= plain.bytesMax ? await add(sink => plain.write(sink, body)) : null;
    return stored ?? add((await readEntries(deps, request, { ...spelling, rules })).write);
  };
  return ingest(deps, request, { rules, store });
}

type Grouped = { groups: readonly EntryGroup[]; rules: ItemRules };

/** Stores each dataset separately, but with shared disk syncs. If one fails, the client resends everything. */
export function storeGroups(
  deps: EntryIntakeDeps,
  request: IngestRequest,
  { groups, rules }: Grouped,
): Promise<IngestReceipt[]> {
  return Promise.all(
    groups.map(({ dataset, write }) =>
      ingest(deps, directTo(request, dataset), { rules, store: add => add(write) }),
    ),
  );
}

/** Each dataset of a request has its own key. */
export function directTo(request: IngestRequest, dataset: string | null): IngestRequest {
  if (dataset === null) return request;
  const { idempotencyKey: key } = request;
  return { ...request, dataset, idempotencyKey: key && { ...key, key: `${key.key} ${dataset}` } };
}

/** Entries for one dataset; null: the request's dataset. */
type EntryGroup = { dataset: string | null; write: WriteEntries };

type ReadEntries = { groups: readonly EntryGroup[]; write: WriteEntries; shown: unknown };

/** Reads small bodies here, and larger ones in the thread. `write` is the first group's, for formats with a single group. */
export async function readEntries<Options extends object>(
  { reading }: Pick<EntryIntakeDeps, 'reading'>,
  { project, body, idempotencyKey }: Pick<IngestRequest, 'project' | 'body' | 'idempotencyKey'>,
  { format, options, rules }: Spelling<Options> & { rules: ItemRules },
): Promise<ReadEntries> {
  const { bytesMax, entriesMax } = format.readHere;
  if (body.length <= bytesMax && !format.unpacksLarge(body, options)) {
    const found = format.read(body, options, rules);
    if (found.entries.length <= entriesMax) {
      const groups = listGroups(found, { body, isKeyed: idempotencyKey !== null });
      return { groups, write: writeFirst(groups), shown: found.show() };
    }
  }
  const read = await reading.read({ project, module: format.module, options, body, rules });
  const groups = read.groups.map(group => describeDraft(group, read));
  return { groups, write: writeFirst(groups), shown: read.shown };
}

/** With a key, checks entries before anything is stored under it. */
function listGroups(
  found: FoundEntries,
  { body, isKeyed }: { body: Buffer; isKeyed: boolean },
): EntryGroup[] {
  const { entries, places } = found;
  if (places !== null && places.only !== null && !isKeyed) {
    const rules = places.rulesOf(places.only);
    return [{ dataset: places.only, write: sink => writeEntries({ ...sink, rules }, found) }];
  }
  if (places !== null)
    return draftEntries(entries, places, body.length).map(group => describeDraft(group, found));
  return entries.length === 0 ? [] : [{ dataset: null, write: sink => writeEntries(sink, found) }];
}

function describeDraft(
  { dataset, draft }: DraftGroup,
  { parentIsFirst }: Pick<FoundEntries, 'parentIsFirst'>,
): EntryGroup {
  return { dataset, write: sink => writeDraft(sink, { draft, parentIsFirst }) };
}

function writeFirst([first]: readonly EntryGroup[]): WriteEntries {
  return first?.write ?? (() => null);
}

type Draft = { draft: DraftRows; parentIsFirst: boolean };

/** Returns the traceId of the first entry. */
function writeDraft({ batch, stamper }: ItemSink<LogBatch>, { draft, parentIsFirst }: Draft): string {
  let traceId = '';
  stamper.begin();
  batch.addDraft(draft, {
    stamp(row) {
      if (row.timestampMicros === unstampedMicros) stamper.stampTime(row);
      stamper.stampIdentity(row);
      if (traceId === '') traceId = formatTraceId(row);
    },
    parentId: () => (parentIsFirst ? traceId : null),
  });
  return traceId;
}
