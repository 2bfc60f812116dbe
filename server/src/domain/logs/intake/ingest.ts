/** Takes log entries in: a whole request or nothing of it, durable before it is answered. */

import {
  formatTraceId,
  type ItemSink,
  type LevelSynonyms,
  type Stamper,
  type TimeRange,
  writePlainItems,
} from '@tapedeck/log-entries';
import { type LogLevel, limits } from '../../../vocabulary.ts';
import { requireDatasetName } from '../../datasetNames.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  type Draft,
  type Drafting,
  type EntryForm,
  type EntryRules,
  type ForeignForm,
  unstampedMicros,
} from '../../ports/drafts.ts';
import type { KeyHashes } from '../../ports/keyClaims.ts';
import type { LogBatch, LogIntake, LogTarget } from '../../ports/logs.ts';
import type { Attachment } from './attachments.ts';
import { readBriefItems, writeItems } from './entryForms.ts';
import type { IdempotencyKey, KeyGate } from './idempotency.ts';

export type IngestDeps = {
  intake: LogIntake;
  /** Reads aside what would hold the event loop. */
  drafting: Drafting;
  clock: Clock;
  stamper: Stamper;
  keyGate: KeyGate;
  /** Words that stand for levels, beside the four levels themselves; null: none. */
  levelSynonyms: LevelSynonyms | null;
  /** How long the dataset keeps its entries; null: for ever. */
  readRetentionDays(target: LogTarget): number | null;
};

/** The body is plain JSON. The dataset's name is checked here, because faults of the body's size and form are told first. */
export type IngestRequest = LogTarget & {
  body: Buffer;
  idempotencyKey: IdempotencyKey | null;
};

/** The traceId of the first entry that was stored, now or earlier under the same key. */
export type IngestReceipt = { traceId: string };

const noBytes = Buffer.alloc(0);
const dayMicros = 86_400_000_000;

/** Takes a list of entries. Resolves once they are on disk, synced, and covered by every later query. */
export async function ingestLogs(deps: IngestDeps, request: IngestRequest): Promise<IngestReceipt> {
  const { body, dataset } = request;
  requireDatasetName(dataset);
  const rules = readRules(deps, request);
  return await takeOnce(deps, request, async hashes => {
    if (body.length <= limits.plainBatchBytesMax) {
      const stored = await storeEntries(deps, request, {
        rules,
        hashes,
        write: sink => writePlainItems(sink, body),
      });
      if (stored !== null) return stored;
    }
    const found = await findEntries(deps, request, { form: 'batch', rules });
    return requireStored(await storeEntries(deps, request, { rules, hashes, write: found.write }));
  });
}

/** The files of a message. They are kept before its entries, which name them, are stored. */
export type MessageFiles = {
  /** What tells them from other files: a message with others is another message. */
  fingerprint: Buffer;
  /** Their names, while nothing is kept yet. */
  announced: readonly Attachment[];
  keep(): Promise<readonly Attachment[]>;
  /** Undoes `keep`. */
  letGo(): Promise<void>;
};

export type ChatRequest = IngestRequest & { level?: LogLevel | null; files?: MessageFiles | null };

/** `attachments` is null for a repeat: its files were kept with the message, whose first entry names them. */
export type ChatReceipt = IngestReceipt & { payload: unknown; attachments: readonly Attachment[] | null };

/** Takes a webhook payload, whose first entry the others hang below. */
export async function ingestChat(
  deps: IngestDeps,
  request: ChatRequest,
  form: 'chat' | 'attachments' = 'chat',
): Promise<ChatReceipt> {
  const { level = null, files = null } = request;
  requireDatasetName(request.dataset);
  const rules = readRules(deps, request);
  const find = (attachments: readonly Attachment[]) =>
    findEntries(deps, request, { form, rules: { ...rules, company: { level, attachments } } });
  const found = await find(files?.announced ?? []); // so that all is judged before anything is kept
  const store = async (hashes: KeyHashes | null, { write }: FoundEntries) =>
    requireStored(await storeEntries(deps, request, { rules, hashes, write }));
  let attachments: readonly Attachment[] | null = files === null ? [] : null;
  const receipt = await takeOnce(deps, identifyChat(request), async hashes => {
    if (files === null) return store(hashes, found);
    attachments = await files.keep();
    try {
      return await store(hashes, await find(attachments));
    } catch (error) {
      await files.letGo();
      throw error;
    }
  });
  return { ...receipt, payload: found.payload, attachments };
}

/** The request as its key is compared by: with its level and its files in the body. */
function identifyChat(request: ChatRequest): IngestRequest {
  const { body, level, files } = request;
  if (!level && !files) return request;
  return { ...request, body: Buffer.concat([body, Buffer.from(level ?? ''), files?.fingerprint ?? noBytes]) };
}

/** Takes entries that a door translates. With nothing to store it is fine, too. */
export async function ingestForeignLogs(
  deps: IngestDeps,
  request: IngestRequest,
  form: ForeignForm,
): Promise<void> {
  const rules = readRules(deps, request);
  const { write, count } = await findEntries(deps, request, { form, rules });
  if (count === 0) return;
  await takeOnce(deps, request, async hashes =>
    requireStored(await storeEntries(deps, request, { rules, hashes, write })),
  );
}

/** Writes the entries of a request. Returns the traceId of the first; null when there is another way to be tried. */
type WriteEntries = (sink: ItemSink<LogBatch>) => string | null;

type FoundEntries = { count: number; write: WriteEntries; payload: unknown };

/** Reads what is brief here, and has the rest read aside. */
async function findEntries(
  { drafting }: IngestDeps,
  { project, body }: IngestRequest,
  { form, rules }: { form: EntryForm; rules: EntryRules },
): Promise<FoundEntries> {
  const brief = readBriefItems(form, body, rules);
  if (brief !== null) {
    const { items, payload } = brief;
    return { count: items.length, write: sink => writeItems(sink, brief), payload };
  }
  const draft = await drafting.draft({ project, form, body, rules });
  return { count: draft.rows, write: sink => writeDraft(sink, draft), payload: draft.payload };
}

/** Returns the traceId of the first. */
function writeDraft({ batch, stamper }: ItemSink<LogBatch>, draft: Draft): string {
  let traceId = '';
  stamper.begin();
  batch.addDraft(draft, {
    stamp(row) {
      if (row.timestampMicros === unstampedMicros) stamper.stampTime(row);
      stamper.stampIdentity(row);
      if (traceId === '') traceId = formatTraceId(row);
    },
    parentId: () => (draft.parentIsFirst ? traceId : null),
  });
  return traceId;
}

/** Stores the entries of the request, unless they were stored before under its key. */
async function takeOnce(
  deps: IngestDeps,
  request: IngestRequest,
  store: (hashes: KeyHashes | null) => Promise<IngestReceipt>,
): Promise<IngestReceipt> {
  const { idempotencyKey } = request;
  if (idempotencyKey === null) return store(null);
  return deps.keyGate.pass(idempotencyKey, request, store);
}

type Storing = { rules: EntryRules; write: WriteEntries; hashes: KeyHashes | null };

/** null when nothing was written. Must not await between opening the batch and committing or cancelling it. */
async function storeEntries(
  deps: IngestDeps,
  target: LogTarget,
  { rules, write, hashes }: Storing,
): Promise<IngestReceipt | null> {
  const { project, dataset } = target;
  const batch = deps.intake.openBatch({ project, dataset, retentionDays: deps.readRetentionDays(target) });
  let traceId: string | null = null;
  try {
    traceId = write({ batch, stamper: deps.stamper, rules });
  } catch (error) {
    batch.cancel();
    throw error;
  }
  if (traceId === null) return null;
  const storedAt = deps.clock.now();
  await batch.commit(hashes ? { ...hashes, traceId: Buffer.from(traceId, 'hex'), storedAt } : null);
  return { traceId };
}

function requireStored(receipt: IngestReceipt | null): IngestReceipt {
  if (receipt === null) throw new Error('There was nothing to write.');
  return receipt;
}

function readRules(deps: IngestDeps, target: LogTarget): EntryRules {
  return { range: readTimeRange(deps, target), levelSynonyms: deps.levelSynonyms };
}

/** CONTRACT.md, 4.4: a day ahead at most, and not older than the dataset keeps. No traceId spells a time before 1970. */
function readTimeRange(deps: Pick<IngestDeps, 'clock' | 'readRetentionDays'>, target: LogTarget): TimeRange {
  const nowMicros = deps.clock.now() * 1000;
  const days = deps.readRetentionDays(target);
  return {
    fromMicros: days === null ? 0 : Math.max(0, nowMicros - days * dayMicros),
    toMicros: nowMicros + dayMicros,
  };
}
