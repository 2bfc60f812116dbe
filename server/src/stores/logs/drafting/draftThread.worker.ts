/** The thread that reads large and odd bodies: whatever they cost, it is the time of nobody but their sender. */
import os from 'node:os';
import { parentPort } from 'node:worker_threads';
import { Failure } from '@tapedeck/failures';
import { type ItemSink, type Stamper, writePlainItems } from '@tapedeck/log-entries';
import { createColumns, openBatchRows, takeDraftRows } from '@tapedeck/log-store/rows';
import { readItems, showPayload, writeItems } from '../../../domain/logs/intake/entryForms.ts';
import {
  type Draft,
  type ForeignForm,
  type ReadEntries,
  unstampedMicros,
} from '../../../domain/ports/drafts.ts';
import type { DraftReply, DraftTask } from './protocol.ts';

const niceness = 5; // the main thread comes first; behind it the inserts, questions and merges of the engine
/** Leaves to the batch what only it knows. */
const noStamps: Stamper = {
  begin() {},
  takeBack() {},
  stampTime(row) {
    row.timestampMicros = unstampedMicros;
  },
  stampIdentity() {},
};

async function writeDraft({ form: named, body, rules }: DraftTask): Promise<Draft> {
  const form = typeof named === 'object' ? await loadForm(named) : named;
  const columns = createColumns();
  const sink: ItemSink = { batch: openBatchRows(columns), stamper: noStamps, rules };
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  if (form === 'batch' && writePlainItems(sink, bytes) !== null)
    return { ...takeDraftRows(columns), parentIsFirst: false, payload: null };
  const found = readItems(form, bytes, rules);
  if (found.items.length > 0) writeItems(sink, found);
  return {
    ...takeDraftRows(columns),
    parentIsFirst: found.parentIsFirst,
    payload: showPayload(found.payload),
  };
}

async function loadForm({ module, options }: Pick<ForeignForm, 'module' | 'options'>): Promise<ForeignForm> {
  // What modules of foreign forms export, by their type.
  const { readEntries } = (await import(module)) as { readEntries: ReadEntries };
  return { readEntries, module, options };
}

async function answer(task: DraftTask): Promise<DraftReply> {
  try {
    return { draft: await writeDraft(task) };
  } catch (error) {
    if (!(error instanceof Failure)) return { bug: error };
    const { code, message: sentence, ...properties } = error;
    return { refusal: { code, sentence, properties } };
  }
}

/** Of the draft, what is handed over instead of copied. */
function listMemory(reply: DraftReply): ArrayBuffer[] {
  if (!('draft' in reply)) return [];
  const { timestamps, leafCounts, levels, parentIds, resources, bodies, leafPaths, leafValues } = reply.draft;
  const views = [timestamps, leafCounts, levels, parentIds, resources, bodies, leafPaths, leafValues];
  // Columns are made by `createColumns`, each with memory of its own that is not shared.
  return views.map(({ buffer }) => buffer as ArrayBuffer);
}

if (parentPort !== null) {
  const port = parentPort;
  // Of Linux's calls this one means the thread; elsewhere it would mean the whole process.
  if (process.platform === 'linux') os.setPriority(niceness);
  port.on('message', async (task: DraftTask) => {
    const reply = await answer(task);
    port.postMessage(reply, listMemory(reply));
  });
}
