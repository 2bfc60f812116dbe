/** The log store's intake: batches of rows become groups of the journal, and the flusher carries those to ClickHouse. */
import path from 'node:path';
import { lockDirectory } from '@tapedeck/durable-files';
import type { LogDeletions } from '../../../domain/ports/logDeletions.ts';
import type { BatchTarget, KeyRecord, LogBatch, LogIntake } from '../../../domain/ports/logs.ts';
import { appendTarget } from '../blocks/native.ts';
import { appendDraft } from '../drafting/rows.ts';
import { Flusher } from '../flushing/flusher.ts';
import type { LaneDeps, Shard } from '../flushing/lane.ts';
import { JournalDeletions } from '../journal/deletions.ts';
import type { JournalDisk } from '../journal/disk.ts';
import { Journal } from '../journal/journal.ts';
import { KeyShelves } from '../journal/keys.ts';
import { recoverSegments } from '../journal/recovery.ts';
import { Room } from '../journal/room.ts';
import type { Segment } from '../journal/segment.ts';
import type { Reporter } from '../report.ts';
import { openBatchRows } from './batchRows.ts';

export type IntakeDeps = {
  disk: JournalDisk;
  log: Reporter;
  /** Of all nodes that share the servers; without it this one is alone. */
  deletions?: LogDeletions | null | undefined;
  /** As the lanes have it; without it servers lose nothing. */
  confirm?: LaneDeps['confirm'] | undefined;
};

export type IntakeOptions = {
  /** Holds the journal and nothing else; made when absent. */
  directory: string;
  shards: readonly Shard[];
  /** Whether ClickHouse stores on this machine's disk. */
  isLocal: boolean;
};

export type OpenedIntake = LogIntake &
  AsyncDisposable & {
    /**
     * Resolves once everything acknowledged before the call is visible, and no start will insert it again: what is deleted
     * from the engine afterwards stays deleted, whatever crashes.
     */
    settleCleared(timeMsMax: number): Promise<void>;
    /** What ClickHouse has taken since the start. */
    readonly insertedRows: number;
  };

const drainTimeMsMax = 5_000; // within the ten seconds of CONTRACT.md, 1; what is left waits in the journal

/** Opens the journal and begins to hand over what an earlier run left in it. */
export async function openLogIntake(deps: IntakeDeps, options: IntakeOptions): Promise<OpenedIntake> {
  const { disk, log } = deps;
  const { directory } = options;
  await using opened = new AsyncDisposableStack();
  await disk.makeDirectory(directory);
  opened.use(lockDirectory(directory));
  const recovered = await recoverSegments(deps, directory);
  const keys = opened.use(await KeyShelves.open(disk, path.join(directory, 'keys'), Date.now()));
  const room = opened.use(await Room.open({ disk, log, onFull: () => flusher.hurry() }, directory));
  const recent = new RecentKeys();
  const listeners = new Set<() => void>();
  const flusher = opened.use(
    new Flusher(
      { disk, log, keys, room, ...checkLanes(deps), onKeysStored: segment => recent.remove(segment.keys) },
      { ...options, seal: () => journal.seal() },
    ),
  );
  const journal = opened.use(
    await Journal.open(
      { disk, log, room },
      {
        directory,
        nextShard: () => flusher.nextShard(),
        countHandedBytes: () => flusher.handedBytes,
        paceMs: () => flusher.paceMs,
        onSealed: segment => flusher.take(segment),
        onWritten(segment) {
          flusher.noteWritten(segment);
          for (const listener of listeners) listener();
        },
      },
    ),
  );
  takeRecovered(recovered, { recent, flusher });
  const running = opened.move();
  return {
    openBatch: target => openBatch({ journal, recent }, target),
    async findKey(scopeHash) {
      keys.requireRoom();
      return recent.find(scopeHash) ?? (await keys.find(scopeHash, Date.now()));
    },
    settle: timeMsMax => flusher.settle(journal.written, timeMsMax),
    settleCleared: timeMsMax => flusher.settleCleared(journal.written, timeMsMax),
    steady: (timeMsMax, signal) => flusher.steady(timeMsMax, signal),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get insertedRows() {
      return flusher.insertedRows;
    },
    async [Symbol.asyncDispose]() {
      await journal[Symbol.asyncDispose]();
      const isUp = options.shards.some(shard => shard.access.endpoint() !== null);
      if (isUp) await flusher.settle(journal.written, drainTimeMsMax).catch(() => {}); // the journal keeps what is left
      await running.disposeAsync();
    },
  };
}

function checkLanes({
  deletions,
  confirm = async () => {},
}: IntakeDeps): Pick<LaneDeps, 'deletions' | 'confirm'> {
  return { deletions: deletions ? new JournalDeletions(deletions) : null, confirm };
}

/** Keys whose entries are still in the journal. */
class RecentKeys {
  readonly #records = new Map<string, KeyRecord>();

  find(scopeHash: Buffer): KeyRecord | null {
    return this.#records.get(scopeHash.toString('latin1')) ?? null;
  }

  add(record: KeyRecord): void {
    this.#records.set(record.scopeHash.toString('latin1'), record);
  }

  remove(records: readonly KeyRecord[]): void {
    for (const { scopeHash } of records) this.#records.delete(scopeHash.toString('latin1'));
  }
}

function takeRecovered(recovered: readonly Segment[], deps: { recent: RecentKeys; flusher: Flusher }): void {
  for (const segment of recovered) {
    for (const record of segment.keys) deps.recent.add(record);
    deps.flusher.take(segment);
  }
}

type BatchDeps = { journal: Journal; recent: RecentKeys };

function openBatch({ journal, recent }: BatchDeps, target: BatchTarget): LogBatch {
  const columns = journal.requireColumns();
  const rows = openBatchRows(columns);
  return {
    addLeaf: rows.addLeaf,
    add: rows.add,
    addSlicedLeaf: rows.addSlicedLeaf,
    addSliced: rows.addSliced,
    cancel: rows.cancel,
    addDraft: (draft, { stamp, parentId }) =>
      appendDraft(columns, draft, {
        stamp(row) {
          stamp(row);
          rows.note(row);
        },
        parentId,
      }),
    async commit(key) {
      appendTarget(columns, target, rows.rows);
      await journal.enter({ key, isSpread: rows.isSpread });
      if (key !== null) recent.add(key);
    },
  };
}
