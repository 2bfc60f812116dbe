/** The log store's intake: batches of rows become groups of the journal, and the flusher carries those to ClickHouse. */

import type { JournalDisk } from '../journal/disk/disk.ts';
import { openDiskJournal } from '../journal/disk/diskJournal.ts';
import type { Journal } from '../journal/journal.ts';
import type { LogDeletions } from '../journal/logDeletions.ts';
import { JournalDeletions } from '../journal/pendingDeletions.ts';
import type { Logger } from '../logger.ts';
import { Flusher, type WaitingEntries } from '../writer/flushing/flusher.ts';
import { PartitionSplit } from '../writer/flushing/partitionSplit.ts';
import type { PartSync } from '../writer/flushing/partSync.ts';
import type { Shard, ShardQueueDeps } from '../writer/flushing/shardQueue.ts';
import { openBatchesOf } from './batches.ts';
import type { LogIntake } from './logIntake.ts';

type IntakeDeps = {
  log: Logger;
  /** Deletions recorded by all nodes that share the servers; without them this node is alone. */
  deletions?: LogDeletions | null | undefined;
  /** The same as for shard queues; absent if servers lose nothing. */
  confirm?: ShardQueueDeps['confirm'] | undefined;
  onInsert?: ShardQueueDeps['onInsert'];
};

type IntakeOptions = {
  shards: readonly Shard[];
  /** Directory of the service's own engine, which does not sync what is inserted; null: ClickHouse stores elsewhere, and syncs. */
  engineDirectory: string | null;
  /** Syncs the parts of that engine; without it they are synced, and nothing else is done about them. */
  parts?: Pick<PartSync, 'sync'> | null;
};

/**
 * `damaged`: what was kept aside because it cannot be read; `bytesMax`: what may wait until nothing more is taken, null without a bound.
 * What others share is null while nobody can tell.
 */
export type JournalCondition = {
  waiting: WaitingEntries | null;
  damaged: number | null;
  bytesMax: number | null;
};

export type OpenedIntake = LogIntake &
  AsyncDisposable & {
    /**
     * Resolves once everything acknowledged before the call is visible, and no start will insert it again: what is deleted
     * from the engine afterwards stays deleted, even after a crash.
     */
    flushAndForget(timeMsMax: number): Promise<void>;
    /** See `Journal`. */
    keepNodeId(): Promise<string>;
    /** Rows inserted into ClickHouse since the start. */
    readonly insertedRows: number;
    /** How often something was not kept, or not taken by ClickHouse, since the start. */
    readonly failures: number;
    /** The backlog of all that share the journal; null: nobody can tell. */
    readWaiting(): Promise<WaitingEntries | null>;
    inspectJournal(): Promise<JournalCondition>;
    /** Throws while nothing can be taken in for a reason that operators should know. */
    requireTaking(): void;
    /** Gives up what is kept for a full disk of this machine. Resolves to whether that made room. */
    giveReserve(): Promise<boolean>;
  };

const drainTimeMsMax = 5_000; // within the ten seconds of CONTRACT.md, 1; what is left waits in the journal

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
    get failures() {
      return flusher.failures;
    },
    readWaiting: async () => flusher.waiting,
    inspectJournal: async () => ({ waiting: flusher.waiting, ...(await journal.inspect()) }),
    requireTaking: () => journal.requireTaking(),
    giveReserve: () => journal.giveReserve(),
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
  onInsert,
}: IntakeDeps): Pick<ShardQueueDeps, 'deletions' | 'confirm' | 'onInsert'> {
  return { deletions: deletions ? new JournalDeletions(deletions) : null, confirm, onInsert };
}
