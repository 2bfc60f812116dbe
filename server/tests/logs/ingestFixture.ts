/** An intake without an engine, and the entries it accepts, for ingest tests. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createKeyGate } from '@tapedeck/domain/logs/intake/idempotency';
import type { IngestReceipt, IngestRequest } from '@tapedeck/domain/logs/intake/ingest';
import type { KeySharing } from '@tapedeck/domain/logs/intake/keyClaims';
import { systemClock } from '@tapedeck/domain/ports/clock';
import { createStamper, systemMicros } from '@tapedeck/log-entries';
import {
  absentShard,
  type DecodedRow,
  openLogIntake,
  recoverRows,
  silentLog,
  smallDisk,
} from '@tapedeck/log-store/testing';
import { format } from '../../src/intake/batch/batchFormat.worker.ts';
import { type EntryIntakeDeps, takeEntries } from '../../src/intake/entryIntake.ts';
import { openReadingThread } from '../../src/intake/thread/readingThread.ts';

export type OpenedIngest = AsyncDisposable & {
  deps: EntryIntakeDeps;
  /** Returns entries that reached the journal since the last call. */
  takeRows(): Promise<DecodedRow[]>;
};

/** `sharing` lists other intakes, which act as other nodes. */
export async function openIngest(
  changes: Partial<EntryIntakeDeps> = {},
  sharing: KeySharing | null = null,
): Promise<OpenedIngest> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-ingest-'));
  const options = { directory, shards: [absentShard], engineDirectory: directory };
  const intake = await openLogIntake({ disk: smallDisk, log: silentLog }, options);
  const reading = openReadingThread();
  let taken = 0;
  const deps: EntryIntakeDeps = {
    intake,
    reading,
    clock: systemClock,
    stamper: createStamper(systemMicros),
    keyGate: createKeyGate(intake, sharing),
    counts: { countEntries() {} },
    levelSynonyms: null,
    readRetentionDays: () => null,
    ...changes,
  };
  return {
    deps,
    async takeRows() {
      const rows = await recoverCopy(directory);
      const fresh = rows.slice(taken);
      taken = rows.length;
      return fresh;
    },
    async [Symbol.asyncDispose]() {
      await reading[Symbol.asyncDispose]();
      await intake[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

/** Recovers entries as a start would, while the intake continues. */
async function recoverCopy(directory: string): Promise<DecodedRow[]> {
  const copy = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-ingest-'));
  try {
    await cp(directory, copy, { recursive: true });
    return await recoverRows(copy);
  } finally {
    await rm(copy, { recursive: true });
  }
}

/** Stores a batch as the ingest route does. */
export async function ingestLogs(deps: EntryIntakeDeps, request: IngestRequest): Promise<IngestReceipt> {
  const receipt = await takeEntries(deps, request, { format, options: {} });
  if (receipt === null) throw new Error('A batch holds an entry at least.');
  return receipt;
}

/** Makes a request whose body is a value, text or bytes. */
export function makeRequest(body: unknown, changes: Partial<IngestRequest> = {}): IngestRequest {
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  return {
    project: 'arena',
    dataset: 'game',
    body: Buffer.from(isRaw ? body : JSON.stringify(body)),
    idempotencyKey: null,
    ...changes,
  };
}
