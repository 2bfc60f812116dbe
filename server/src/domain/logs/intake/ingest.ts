/** Takes log entries in: a whole request or nothing of it, durable before it is answered. */
import { limits, ServiceError } from '../../../vocabulary.ts';
import { requireDatasetName } from '../../datasetNames.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyHashes } from '../../ports/keyClaims.ts';
import type { LogIntake, LogTarget } from '../../ports/logs.ts';
import { complainOfHalfPair, requireTexts } from '../../wellFormedTexts.ts';
import { translateChat } from './chat.ts';
import type { IdempotencyKey, KeyGate } from './idempotency.ts';
import { formatTraceId, type Stamper } from './identity.ts';
import { createItemWriter, type ItemSink, type LogItem, type TimeRange, writeItem } from './items.ts';
import { parseBody } from './json.ts';
import type { LevelSynonyms } from './levels.ts';
import { writePlainItems } from './plainItems.ts';

export type IngestDeps = {
  intake: LogIntake;
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

const dayMicros = 86_400_000_000;

/** Takes a list of entries. Resolves once they are on disk, synced, and covered by every later query. */
export async function ingestLogs(deps: IngestDeps, request: IngestRequest): Promise<IngestReceipt> {
  const { body, dataset } = request;
  requireDatasetName(dataset);
  return await takeOnce(
    deps,
    request,
    sink =>
      writePlainItems(sink, body) ??
      writeItems(sink, { items: requireItems(parseBody(body)), parentIsFirst: false }),
  );
}

/** Takes a webhook payload, whose first entry the others hang below. */
export async function ingestChat(
  deps: IngestDeps,
  request: IngestRequest,
): Promise<IngestReceipt & { payload: unknown }> {
  requireDatasetName(request.dataset);
  const payload = parseBody(request.body);
  requireTexts(payload, complainOfHalfPair);
  const receipt = await takeOnce(deps, request, sink =>
    writeItems(sink, { items: translateChat(payload, sink.rules.range), parentIsFirst: true }),
  );
  return { ...receipt, payload };
}

export type ForeignEntries<T> = {
  entries: readonly T[];
  /** Called for one entry at a time, just before it is written: an item may take far more memory than its entry. */
  translate(entry: T, range: TimeRange): LogItem;
};

/** Takes entries that a door translates. With nothing to store it is fine, too. */
export async function ingestForeignLogs<T>(
  deps: IngestDeps,
  request: IngestRequest,
  { entries, translate }: ForeignEntries<T>,
): Promise<void> {
  if (entries.length === 0) return;
  await takeOnce(deps, request, sink => {
    const writer = createItemWriter(sink);
    let traceId = '';
    for (const entry of entries) {
      writeItem(writer, translate(entry, sink.rules.range));
      traceId ||= formatTraceId(writer.row);
    }
    return traceId;
  });
}

type ItemsToStore = {
  items: readonly unknown[];
  /** Whether all items but the first hang below the first. */
  parentIsFirst: boolean;
};

/** Writes the items of a request. Returns the traceId of the first. */
type WriteItems = (sink: ItemSink) => string;

/** Stores the items of the request, unless they were stored before under its key. */
async function takeOnce(deps: IngestDeps, request: IngestRequest, write: WriteItems): Promise<IngestReceipt> {
  const { idempotencyKey } = request;
  if (idempotencyKey === null) return storeItems(deps, request, { write, hashes: null });
  return deps.keyGate.pass(idempotencyKey, request, hashes => storeItems(deps, request, { write, hashes }));
}

type Storing = { write: WriteItems; hashes: KeyHashes | null };

/** Must not await between opening the batch and committing or cancelling it. */
async function storeItems(
  deps: IngestDeps,
  target: LogTarget,
  { write, hashes }: Storing,
): Promise<IngestReceipt> {
  const { project, dataset } = target;
  const { stamper, levelSynonyms } = deps;
  const rules = { range: readTimeRange(deps, target), levelSynonyms };
  const batch = deps.intake.openBatch({ project, dataset, retentionDays: deps.readRetentionDays(target) });
  let traceId = '';
  try {
    traceId = write({ batch, stamper, rules });
  } catch (error) {
    batch.cancel();
    throw error;
  }
  const storedAt = deps.clock.now();
  await batch.commit(hashes ? { ...hashes, traceId: Buffer.from(traceId, 'hex'), storedAt } : null);
  return { traceId };
}

/** Returns the traceId of the first. */
function writeItems(sink: ItemSink, { items, parentIsFirst }: ItemsToStore): string {
  const writer = createItemWriter(sink);
  writeItem(writer, items[0]);
  const traceId = formatTraceId(writer.row);
  for (let index = 1; index < items.length; index++) {
    const item = items[index];
    writeItem(writer, parentIsFirst ? { ...(item as object), parentId: traceId } : item); // made by a translation: an object
  }
  return traceId;
}

function requireItems(value: unknown): readonly unknown[] {
  if (!Array.isArray(value))
    throw new ServiceError('bad_request', 'The body must be a JSON array of log entries.');
  if (value.length === 0) throw new ServiceError('bad_request', 'The body must hold at least one log entry.');
  if (value.length > limits.logBatchItemsMax) {
    throw new ServiceError(
      'bad_request',
      `The body may hold at most ${limits.logBatchItemsMax} log entries; split it.`,
    );
  }
  return value;
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
