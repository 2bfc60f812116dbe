/** Tries a protocol's writer, which parses no values, on a body. Most bodies hold only entries for one dataset, in the usual form. */

import { type IngestDeps, type IngestRequest, storeEntries } from '@tapedeck/domain/logs/intake/ingest';
import { limits } from '@tapedeck/domain/vocabulary';
import { entryLimits, type ItemRules, type ItemSink } from '@tapedeck/log-entries';
import type { DirectTask, WrittenEntries } from '@tapedeck/log-protocols';
import { Failure } from '@tapedeck/values/failure';
import type { EntryFormat } from '../entryFormat.ts';
import { type AllowedDatasets, openRules } from './protocolFormat.worker.ts';

/** The main thread writes bodies up to this size, in about ten milliseconds at most. The thread reads larger ones. */
export const writtenHere = { bytesMax: 1024 ** 2, rowsMax: entryLimits.batchItemsMax, workMax: 64 * 1024 };
const inThread = {
  bytesMax: limits.logBatchBytesMax,
  rowsMax: entryLimits.requestItemsMax,
  workMax: Number.MAX_SAFE_INTEGER,
};

type Spelling<Options extends object> = {
  format: Pick<EntryFormat<Options & AllowedDatasets>, 'plainSent'>;
  options: Options & AllowedDatasets;
  rules: ItemRules;
};

/** Resolves once all entries are stored. Resolves to null if none are, and the caller must try another way. */
export async function storeDirectly<Options extends object>(
  deps: IngestDeps,
  { project, body, idempotencyKey }: IngestRequest,
  spelling: Spelling<Options>,
): Promise<WrittenEntries | null> {
  // With a key, each dataset gets its own key, so the body must be read first.
  if (body.length > writtenHere.bytesMax || idempotencyKey !== null) return null;
  for (const attempt of openAttempts(spelling, writtenHere)) {
    const { dataset, rules } = attempt;
    const write = (sink: ItemSink) => attempt.write(sink, body);
    if ((await storeEntries(deps, { project, dataset }, { rules, write })) !== null) return attempt.written;
  }
  return null;
}

type Attempt = {
  dataset: string;
  rules: ItemRules;
  /** Returns the traceId of the first entry; null: nothing was written. */
  write(sink: ItemSink, body: Buffer): string | null;
  written: WrittenEntries | null;
};

/** Tries the request's dataset, then the dataset of the first entry if it names another. */
export function* openAttempts<Options extends object>(
  { format, options, rules }: Spelling<Options>,
  limits: Pick<DirectTask, 'bytesMax' | 'rowsMax' | 'workMax'> = inThread,
): Generator<Attempt> {
  const { plainSent } = format;
  if (plainSent === null) return;
  const place: Pick<DirectTask, 'usualDataset' | 'otherDataset'> = {
    usualDataset: options.dataset,
    otherDataset: null,
  };
  const rulesOf = openRules(options, rules);
  let dataset: string | null = options.dataset;
  for (let attempts = 0; attempts < 2 && dataset !== null; attempts++) {
    const itemRules = findRules(rulesOf, dataset);
    if (itemRules === null) return;
    const task = { ...place, ...limits, dataset };
    const attempt: Attempt = {
      dataset,
      rules: itemRules,
      written: null,
      write(sink, body) {
        const full = { ...task, sink };
        attempt.written = plainSent.write(full, body, options);
        place.otherDataset = full.otherDataset;
        return attempt.written?.traceId ?? null;
      },
    };
    yield attempt;
    dataset = place.otherDataset;
  }
}

/** Returns null if nothing may go there. The parsing reader then refuses entry by entry. */
function findRules(rulesOf: (dataset: string) => ItemRules, dataset: string): ItemRules | null {
  try {
    return rulesOf(dataset);
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}
