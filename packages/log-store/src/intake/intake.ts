/** The log store's intake. It writes batches of rows to the journal in groups, and the flusher inserts those into ClickHouse. */

import type { JournalDisk } from '../journal/disk/disk.ts';
import { openDiskJournal } from '../journal/disk/diskJournal.ts';
import type { Journal } from '../journal/journal.ts';
import type { LogDeletions } from '../journal/logDeletions.ts';
import { JournalDeletions } from '../journal/pendingDeletions.ts';
import type { Logger } from '../logger.ts';
import type { SyncedParts } from '../writer/flushing/checkpoint.ts';
import { Flusher, type WaitingEntries } from '../writer/flushing/flusher.ts';
import { PartitionSplit } from '../writer/flushing/partitionSplit.ts';
import type { Shard, ShardQueueDeps } from '../writer/flushing/shardQueue.ts';
import { openBatchesOf } from './batches.ts';
import type { LogIntake } from './logIntake.ts';

type IntakeDeps = {
  log: Logger;
  /** Deletions recorded by all nodes that share the servers; absent if this node is alone. */
  deletions?: LogDeletions | null | undefined;
  /** As for shard queues; absent if servers lose nothing. */
  confirm?: ShardQueueDeps['confirm'] | undefined;
  inserted?: ShardQueueDeps['inserted'];
  onInsert?: ShardQueueDeps['onInsert'];
};

type IntakeOptions = {
  shards: readonly Shard[];
  /** Directory of the embedded engine, which does not sync inserts; null with external servers, which do. */
  engineDirectory: string | null;
  /** Syncs the parts of that engine, and may do more with them; if absent, they are only synced. */
  parts?: SyncedParts | null;
};

/**
 * `damaged` counts what was kept aside as unreadable. `bytesMax` is how much may wait before nothing more is taken, null if
 * unbounded. Values of a shared journal are null while they are unknown.
 */
export type JournalCondition = {
  waiting: WaitingEntries | null;
  damaged: number | null;
  bytesMax: number | null;
};

export type OpenedIntake = LogIntake &
  AsyncDisposable & {
    /**
     * Resolves once everything acknowledged before the call is visible and no restart will insert it again. So entries
     * deleted from the engine afterwards stay deleted, even after a crash.
     */
    flushAndForget(timeMsMax: number): Promise<void>;
    /** See `Journal`. */
    keepNodeId(): Promise<string>;
    /** Rows inserted into ClickHouse since the start. */
    readonly insertedRows: number;
    /** Whether entries may be visible that `insertedRows` does not count yet. */
    readonly isInserting: boolean;
    /** Failed inserts since the start; with a journal in a bucket, also failed writes and registrations. */
    readonly failures: number;
    /** Returns the backlog of all nodes that share the journal; null if unknown. */
    readWaiting(): Promise<WaitingEntries | null>;
    inspectJournal(): Promise<JournalCondition>;
    /** Throws while the store accepts no entries for a reason that operators should know. */
    requireTaking(): void;
    /** Releases the space reserved for a full disk on this machine. Resolves to whether that made room. */
    releaseReserve(): Promise<boolean>;
  };

const drainTimeMsMax = 5_000; // within the ten seconds of CONTRACT.md, 1; the rest waits in the journal

/** Opens a journal in files. `directory` must hold nothing else; it is created when absent. */
export async function openLogIntake(
  { disk, ...deps }: IntakeDeps & { disk: JournalDisk },
  { directory, ...options }: IntakeOptions & { directory: string },
): Promise<OpenedIntake> {
  return openIntakeBehind(await openDiskJournal({ disk, log: deps.log }, directory), deps, options);
}

/** Takes the journal over, and begins to hand over what an earlier run left in it. */
async function openIntakeBehind(
  journal: Journal,
  deps: IntakeDeps,
  options: IntakeOptions,
): Promise<OpenedIntake> {
  await using opened = new AsyncDisposableStack();
  opened.use(journal);
  const spreading = new PartitionSplit();
  const flusher = opened.use(
    new Flusher({ journal, spreading, log: deps.log, ...checkLanes(deps) }, options),
  );
  await journal.begin(flusher);
  const running = opened.move();
  return {
    openBatch: openBatchesOf(journal),
    findKey: scopeHash => journal.findKey(scopeHash),
    keepNodeId: () => journal.keepNodeId(),
    flush: flusher.flush.bind(flusher),
    flushAndForget: timeMsMax => flusher.flushAndForget(timeMsMax),
    waitForWholeBatches: spreading.waitForWholeBatches.bind(spreading),
    subscribe: listener => flusher.subscribe(listener),
    get insertedRows() {
      return flusher.insertedRows;
    },
    get isInserting() {
      return flusher.isInserting;
    },
    get failures() {
      return flusher.failures;
    },
    readWaiting: async () => flusher.waiting,
    inspectJournal: async () => ({ waiting: flusher.waiting, ...(await journal.inspect()) }),
    requireTaking: () => journal.requireTaking(),
    releaseReserve: () => journal.releaseReserve(),
    async [Symbol.asyncDispose]() {
      await journal.stop();
      const isUp = options.shards.some(shard => shard.access.endpoint() !== null);
      if (isUp) await flusher.flush(drainTimeMsMax).catch(() => {}); // the journal keeps what is left
      await running.disposeAsync();
    },
  };
}

function checkLanes({
  deletions,
  confirm = async () => {},
  inserted,
  onInsert,
}: IntakeDeps): Pick<ShardQueueDeps, 'deletions' | 'confirm' | 'inserted' | 'onInsert'> {
  return { deletions: deletions ? new JournalDeletions(deletions) : null, confirm, inserted, onInsert };
}
