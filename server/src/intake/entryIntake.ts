/** Takes in a body in any format: read here or in the thread, and added to the store. */
import { formatTraceId, type ItemRules, type ItemSink } from '@tapedeck/log-entries';
import {
  type AddEntries,
  type IngestDeps,
  type IngestReceipt,
  type IngestRequest,
  ingest,
  readRules,
  type WriteEntries,
} from '../domain/logs/intake/ingest.ts';
import type { LogBatch } from '../domain/ports/logs.ts';
import type { EntryFormat } from './entryFormat.ts';
import { writeEntries } from './entryWriting.ts';
import { type ReadAside, unstampedMicros } from './thread/protocol.ts';
import type { ReadingThread } from './thread/readingThread.ts';

export type EntryIntakeDeps = IngestDeps & { reading: ReadingThread };

/** How a body is spelled: the format, and what it needs to know beside the body. */
type Spelling<Options extends object> = { format: EntryFormat<Options>; options: Options };

/** null when the body holds no entries, and was to hold none. */
export async function takeEntries<Options extends object>(
  deps: EntryIntakeDeps,
  request: IngestRequest,
  spelling: Spelling<Options>,
): Promise<IngestReceipt | null> {
  const rules = readRules(deps, request);
  const { plain } = spelling.format;
  if (plain === null) {
    // Read first, because a key stands for what was stored, which may be nothing.
    const { count, write } = await readEntries(deps, request, { ...spelling, rules });
    return count === 0 ? null : ingest(deps, request, { rules, store: add => add(write) });
  }
  const { body } = request;
  const store = async (add: AddEntries) => {
    const stored = body.length <= plain.bytesMax ? await add(sink => plain.write(sink, body)) : null;
    return stored ?? add((await readEntries(deps, request, { ...spelling, rules })).write);
  };
  return ingest(deps, request, { rules, store });
}

type ReadEntries = { count: number; write: WriteEntries; shown: unknown };

/** Reads what is brief here, and has the rest read in the thread. */
export async function readEntries<Options extends object>(
  { reading }: Pick<EntryIntakeDeps, 'reading'>,
  { project, body }: Pick<IngestRequest, 'project' | 'body'>,
  { format, options, rules }: Spelling<Options> & { rules: ItemRules },
): Promise<ReadEntries> {
  const { bytesMax, entriesMax } = format.readHere;
  if (body.length <= bytesMax) {
    const found = format.read(body, options, rules);
    const { entries, shown } = found;
    if (entries.length <= entriesMax)
      return { count: entries.length, write: sink => writeEntries(sink, found), shown };
  }
  const read = await reading.read({ project, module: format.module, options, body, rules });
  return { count: read.draft.rows, write: sink => writeDraft(sink, read), shown: read.shown };
}

/** Returns the traceId of the first. */
function writeDraft({ batch, stamper }: ItemSink<LogBatch>, { draft, parentIsFirst }: ReadAside): string {
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
