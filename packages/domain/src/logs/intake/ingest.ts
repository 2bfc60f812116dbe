/** Ingests log entries: whole requests or nothing, durable before the response, once per Idempotency-Key. */
import type { ItemRules, ItemSink, LevelSynonyms, Stamper, TimeRange } from '@tapedeck/log-entries';
import type { Clock } from '../../ports/clock.ts';
import type { KeyHashes } from '../../ports/keyClaims.ts';
import type { LogBatch, LogIntake, LogTarget } from '../../ports/logs.ts';
import type { ProjectCounts } from '../../projects/projectCounts.ts';
import { requireDatasetName } from '../datasetRules.ts';
import type { IdempotencyKey, KeyGate } from './idempotency.ts';

export type IngestDeps = {
  intake: LogIntake;
  clock: Clock;
  stamper: Stamper;
  keyGate: KeyGate;
  counts: Pick<ProjectCounts, 'countEntries'>;
  /** Synonyms for the four levels; null: none. */
  levelSynonyms: LevelSynonyms | null;
  /** How long the dataset keeps its entries; null: forever. */
  readRetentionDays(target: LogTarget): number | null;
};

/** `body`: compared when a key is reused. */
export type IngestRequest = LogTarget & { body: Buffer; idempotencyKey: IdempotencyKey | null };

/** The traceId of the first stored entry, now or earlier under the same key. */
export type IngestReceipt = { traceId: string };

/** Writes entries into a batch. Returns the first traceId; null: it wrote none, and the caller should try another way. */
export type WriteEntries = (sink: ItemSink<LogBatch>) => string | null;

/** Resolves once the entries are synced to disk and visible to every later query; to null if none were written. */
export type AddEntries = (write: WriteEntries) => Promise<IngestReceipt | null>;

const dayMicros = 86_400_000_000;

type Storing = {
  rules: ItemRules;
  /** Adds the entries in one batch. */
  store(add: AddEntries): Promise<IngestReceipt | null>;
};

/** Stores a request's entries, unless they were stored before under its key. */
export async function ingest(
  deps: IngestDeps,
  request: IngestRequest,
  { rules, store }: Storing,
): Promise<IngestReceipt> {
  const storeUnder = async (hashes: KeyHashes | null) => {
    const receipt = await store(write => addEntries(deps, request, { rules, write, hashes }));
    if (receipt === null) throw new Error('There was nothing to write.');
    return receipt;
  };
  const { idempotencyKey } = request;
  if (idempotencyKey === null) return storeUnder(null);
  return deps.keyGate.pass(idempotencyKey, request, storeUnder);
}

/** Stores entries without a key; null if none were written. */
export function storeEntries(
  deps: IngestDeps,
  target: LogTarget,
  { rules, write }: Omit<Adding, 'hashes'>,
): Promise<IngestReceipt | null> {
  return addEntries(deps, target, { rules, write, hashes: null });
}

type Adding = { rules: ItemRules; write: WriteEntries; hashes: KeyHashes | null };

/** Must not await between opening the batch and committing or cancelling it. */
async function addEntries(
  deps: IngestDeps,
  target: LogTarget,
  { rules, write, hashes }: Adding,
): Promise<IngestReceipt | null> {
  const { project, dataset } = target;
  const retentionDays = deps.readRetentionDays(target);
  const batch = deps.intake.openBatch({ project, dataset, retentionDays }, { isKeyed: hashes !== null });
  let traceId: string | null = null;
  try {
    traceId = write({ batch, stamper: deps.stamper, rules });
  } catch (error) {
    batch.cancel();
    throw error;
  }
  if (traceId === null) return null;
  const storedAt = deps.clock.now();
  const { rows, textBytes } = batch;
  await batch.commit(hashes ? { ...hashes, traceId: Buffer.from(traceId, 'hex'), storedAt } : null);
  deps.counts.countEntries(project, { rows, textBytes });
  return { traceId };
}

/** Returns the rules for the target's entries. Throws if the dataset name is invalid. */
export function readRules(deps: IngestDeps, target: LogTarget): ItemRules {
  requireDatasetName(target.dataset);
  return { range: readTimeRange(deps, target), levelSynonyms: deps.levelSynonyms };
}

/** CONTRACT.md, 4.4: at most a day ahead, and not older than the retention. A traceId cannot encode a time before 1970. */
function readTimeRange(deps: Pick<IngestDeps, 'clock' | 'readRetentionDays'>, target: LogTarget): TimeRange {
  const nowMicros = deps.clock.now() * 1000;
  const days = deps.readRetentionDays(target);
  return {
    fromMicros: days === null ? 0 : Math.max(0, nowMicros - days * dayMicros),
    toMicros: nowMicros + dayMicros,
  };
}
