/** The thread that reads large and unusual bodies, so that they delay only their sender. */
import os from 'node:os';
import { parentPort } from 'node:worker_threads';
import { isExpected } from '@tapedeck/domain/vocabulary';
import type { ItemRules, ItemSink } from '@tapedeck/log-entries';
import type { DraftRows } from '@tapedeck/log-store';
import { createColumns, openBatchRows, takeDraftRows } from '@tapedeck/log-store/rows';
import type { EntryFormat } from '../entryFormat.ts';
import { draftEntries, noStamps, writeEntries } from '../entryWriting.ts';
import { openAttempts } from '../protocol/directWriter.ts';
import type { AllowedDatasets } from '../protocol/protocolFormat.worker.ts';
import type { ReadAside, ReadingReply, ReadingTask } from './protocol.ts';

const niceness = 5; // the main thread comes first, then the inserts, queries and merges of the engine

async function read({ module, options, body, rules }: ReadingTask): Promise<ReadAside> {
  // Modules of formats export this type.
  const { format } = (await import(module)) as { format: EntryFormat };
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const { plain } = format;
  const plainDraft = plain && draftRows(rules, sink => plain.write(sink, bytes));
  if (plainDraft)
    return { groups: [{ dataset: null, draft: plainDraft }], parentIsFirst: false, shown: null };
  const plainSent = draftSent(format, bytes, { options, rules });
  if (plainSent !== null) return plainSent;
  const found = format.read(bytes, options, rules);
  const { entries, places, parentIsFirst } = found;
  if (places !== null) {
    const groups = draftEntries(entries, places, bytes.length);
    return { groups, parentIsFirst, shown: found.show() };
  }
  const draft = draftRows(rules, sink => writeEntries(sink, found));
  return { groups: draft === null ? [] : [{ dataset: null, draft }], parentIsFirst, shown: found.show() };
}

/** Returns null if the body is not that plain, or goes to more than one dataset. */
function draftSent(
  format: EntryFormat,
  bytes: Buffer,
  { options, rules }: Pick<ReadingTask, 'options' | 'rules'>,
): ReadAside | null {
  // Formats whose entries may go to several datasets get the places.
  const spelling = { format, options: options as AllowedDatasets, rules };
  for (const attempt of openAttempts(spelling)) {
    const draft = draftRows(attempt.rules, sink => attempt.write(sink, bytes));
    if (draft === null || attempt.written === null) continue;
    const { shown } = attempt.written;
    return { groups: [{ dataset: attempt.dataset, draft }], parentIsFirst: false, shown };
  }
  return null;
}

/** Returns null if nothing was written. */
function draftRows(rules: ItemRules, write: (sink: ItemSink) => string | null): DraftRows | null {
  const columns = createColumns();
  const sink: ItemSink = { batch: openBatchRows(columns), stamper: noStamps, rules };
  return write(sink) === null ? null : takeDraftRows(columns);
}

async function answer(task: ReadingTask): Promise<ReadingReply> {
  try {
    return { read: await read(task) };
  } catch (error) {
    if (!isExpected(error)) return { bug: error };
    const { code, message: sentence, ...properties } = error;
    return { refusal: { code, sentence, properties } };
  }
}

/** Lists the draft's buffers, which are transferred, not copied. */
function listMemory(reply: ReadingReply): ArrayBuffer[] {
  if (!('read' in reply)) return [];
  const drafts = reply.read.groups.map(({ draft }) => draft);
  const columns = drafts.flatMap(draft => Object.values(draft).filter(column => typeof column !== 'number'));
  // `createColumns` gives each column its own unshared memory.
  return columns.map(({ buffer }) => buffer as ArrayBuffer);
}

if (parentPort !== null) {
  const port = parentPort;
  // On Linux this call affects the thread. Elsewhere it would affect the whole process.
  if (process.platform === 'linux') os.setPriority(niceness);
  port.on('message', async (task: ReadingTask) => {
    const reply = await answer(task);
    port.postMessage(reply, listMemory(reply));
  });
}
