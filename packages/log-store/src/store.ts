/** Opens the log store as configured: an embedded engine or external ClickHouse servers, the table, and the intake in front. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openBucketIntake, type SharedJournal } from './intake/bucketIntake.ts';
import { type JournalCondition, type OpenedIntake, openLogIntake } from './intake/intake.ts';
import type { LogIntake } from './intake/logIntake.ts';
import { withOldJournal } from './intake/oldJournal.ts';
import { localDisk } from './journal/disk/disk.ts';
import { isJournalInUse } from './journal/disk/segmentWatch.ts';
import type { LogDeletions } from './journal/logDeletions.ts';
import type { Logger } from './logger.ts';
import { createLogBackfill } from './operations/backfill/backfill.ts';
import type { LogBackfill } from './operations/backfill/logBackfill.ts';
import type { LogRemovals } from './operations/removals/logRemovals.ts';
import { createLogRemovals } from './operations/removals/removals.ts';
import { flushMsMax } from './queries/completeAnswers.ts';
import type { LogArrivals, LogQueries } from './queries/logQueries.ts';
import { createLogQueries } from './queries/queries.ts';
import { beginEngine, type StartingEngine } from './startingEngine.ts';
import { divideMemory, measureMemory } from './writer/engine/memory.ts';
import { closeIdleConnections } from './writer/engine/statements.ts';
import type { EngineAccess } from './writer/engine/supervision.ts';
import { nothingWaits } from './writer/flushing/flusher.ts';
import { adaptMergeConcurrency } from './writer/flushing/mergeConcurrency.ts';
import type { EndedInsert } from './writer/flushing/segmentInsert.ts';
import type { Shard } from './writer/flushing/shardQueue.ts';
import { InsertedTexts } from './writer/inserted/insertedTexts.ts';
import { type LogLoss, summarizeLoss } from './writer/ledger/lossMessages.ts';
import { PartLedger } from './writer/ledger/partLedger.ts';
import { createSchema } from './writer/schema/tables.ts';
import { type LogsConfig, listShards, type RemoteConfig } from './writer/servers/addresses.ts';
import { inspectServers, type LogHealth } from './writer/servers/health.ts';
import type { LogServers } from './writer/servers/logServers.ts';
import { keepOwnTables } from './writer/servers/ownTables.ts';
import { pingLogs } from './writer/servers/pinging.ts';
import { keepTables, type LogTables, type RemoteTables } from './writer/servers/remoteTables.ts';

export type LogStore = AsyncDisposable & {
  intake: LogIntake;
  queries: LogQueries & LogArrivals;
  removals: LogRemovals;
  backfill: LogBackfill;
  shards: readonly [EngineAccess, ...EngineAccess[]];
  /** Returns the name of this node's journal, unique among all nodes. The first call creates it, and it never changes. */
  keepNodeId(): Promise<string>;
  /** Reads how much waits for ClickHouse, and the number of failures since the start. */
  readJournal(): Promise<JournalCondition & { failures: number }>;
  /** Throws while the store accepts no entries for a reason that operators should know. */
  requireTaking(): void;
  /** Returns which acknowledged entries are missing; null with external servers, where the store cannot know. */
  findLoss(): LogLoss | null;
  /** Resolves within two seconds, even if servers hang. */
  inspect(): Promise<LogHealth>;
  /** Rejects with a message for operators when a server does not answer, or lacks what it should hold. */
  ping(): Promise<void>;
};

/** The signal aborts the opening. */
export type LogStoreDeps = {
  log: Logger;
  dataDir: string;
  signal?: AbortSignal | undefined;
  /** If absent, the store does not check which installation the entries belong to. */
  known?: LogServers | undefined;
  /** State shared with other nodes on the same servers; null if this node is alone. */
  deletions?: LogDeletions | null | undefined;
  /** Bucket in which all nodes keep acknowledged entries until they are in ClickHouse. Without it, each node keeps its own on disk. */
  journal?: SharedJournal | null | undefined;
  /** An engine that the caller has begun to start; otherwise the store starts one. */
  engine?: StartingEngine | null | undefined;
  /** Called after each insert into ClickHouse has ended. */
  onInsert?: ((insert: EndedInsert) => void) | undefined;
};

const firstLookMsMax = 2_000; // for external servers; after that, the service starts without them

export async function openLogStore(config: LogsConfig, deps: LogStoreDeps): Promise<LogStore> {
  await using opened = new AsyncDisposableStack();
  const isLocal = config.kind === 'embedded';
  const { shards, engines, tables, remote, ledger, inserted } = isLocal
    ? await openOwn(config, deps, opened)
    : openRemote(config, deps, opened);
  const intake = opened.use(await openIntake(deps, { shards, config, remote, ledger, inserted }));
  ledger?.follow(async () => (await intake.readWaiting())?.entries === 0);
  const countInsertedRows = () => intake.insertedRows;
  if (isLocal) opened.use(adaptMergeConcurrency({ access: engines[0], log: deps.log, countInsertedRows }));
  // The memory of external servers is unknown.
  const { questionBytesMax } = divideMemory(isLocal ? measureMemory() : Number.POSITIVE_INFINITY);
  // A server that is away at the start is no reason to refuse entries: the journal keeps them until the table exists.
  if (remote !== null) await Promise.race([remote.looked, wait(firstLookMsMax, undefined, { ref: false })]);
  remote?.requireOwn();
  const running = opened.move();
  const queries = createLogQueries({
    shards: engines,
    clusterName: isLocal ? null : config.cluster,
    memoryBytesMax: questionBytesMax,
    losses: ledger,
    tables,
    flush: intake.flush,
    waitForWholeBatches: intake.waitForWholeBatches,
    countInserted: isLocal ? countInsertedRows : null,
    isInserting: () => intake.isInserting,
    insertedTexts: inserted,
    ...(isLocal && placeSubjects(deps.dataDir)),
  });
  const isShared = (deps.deletions ?? null) !== null;
  const removals = openRemovals(intake, { shards: engines, isShared, isLocal, tables, ledger });
  const findLoss = () => ledger && summarizeLoss(ledger.lost);
  const backfill = createLogBackfill({
    shards: engines,
    log: deps.log,
    memoryBytesMax: questionBytesMax,
    requireTables: () => tables?.require(),
  });
  const inspect = async () => ({
    isOwn: isLocal,
    waiting: (await intake.readWaiting()) ?? nothingWaits,
    servers: await inspectServers(engines),
    loss: findLoss()?.sentence ?? null,
  });
  return {
    intake,
    queries,
    removals,
    backfill,
    shards: engines,
    inspect,
    findLoss,
    keepNodeId: () => intake.keepNodeId(),
    readJournal: async () => ({ ...(await intake.inspectJournal()), failures: intake.failures }),
    requireTaking: () => intake.requireTaking(),
    ping: () => pingLogs(engines, { tables, isLocal }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

type RemovalPlace = {
  shards: readonly EngineAccess[];
  isShared: boolean;
  isLocal: boolean;
  tables: LogTables | null;
  ledger: PartLedger | null;
};

function openRemovals(
  intake: OpenedIntake,
  { shards, isShared, isLocal, tables, ledger }: RemovalPlace,
): LogRemovals {
  return createLogRemovals({
    shards,
    isShared,
    ...flushOnTables(intake, tables),
    releaseReserve: isLocal ? intake.releaseReserve : undefined,
    expectRemovals: ledger ? work => ledger.expectRemovals(work) : undefined,
  });
}

function placeSubjects(dataDir: string): { subjectLists: string; subjectSums: string } {
  return {
    subjectLists: path.join(dataDir, 'subject-lists'),
    subjectSums: path.join(dataDir, 'subject-sums'),
  };
}

type IntakePlace = {
  shards: readonly Shard[];
  config: LogsConfig;
  remote: RemoteTables | null;
  ledger: PartLedger | null;
  inserted: InsertedTexts | null;
};

/** If a journal on disk is left from before nodes shared one, opens both and empties the old one. */
async function openIntake(
  { log, dataDir, deletions, journal, onInsert }: LogStoreDeps,
  { shards, config, remote, ledger, inserted }: IntakePlace,
): Promise<OpenedIntake> {
  const engineDirectory = config.kind === 'embedded' ? config.directory : null;
  const confirm = remote?.confirmServer;
  const directory = path.join(dataDir, 'journal');
  const place = { directory, shards, engineDirectory, parts: ledger };
  const openOwn = () =>
    openLogIntake({ disk: localDisk, log, deletions, confirm, inserted, onInsert }, place);
  if (!journal) return await openOwn();
  // A running service holds the old journal, and empties it itself.
  const isLeft = existsSync(directory) && !isJournalInUse(directory);
  const left = isLeft ? await openOwn() : null;
  const shared = await openBucketIntake({ ...journal, log, confirm, onInsert }, shards);
  return left === null ? shared : withOldJournal(shared, left);
}

/** Flushes the intake, provided that the tables are as they should be. */
function flushOnTables(intake: OpenedIntake, tables: LogTables | null) {
  return {
    flush: async () => {
      tables?.require();
      await intake.flush(flushMsMax);
    },
    flushAndForget: async () => {
      tables?.require();
      await intake.flushAndForget(flushMsMax);
    },
  };
}

type Opened = {
  /** The shards that this node writes to. */
  shards: readonly Shard[];
  /** The servers to query; more may be added. */
  engines: LogStore['shards'];
  tables: LogTables | null;
  remote: RemoteTables | null;
  /** Tracks the parts of the embedded engine. */
  ledger: PartLedger | null;
  /** Remembers what is inserted into the embedded engine. */
  inserted: InsertedTexts | null;
};

async function openOwn(
  config: Extract<LogsConfig, { kind: 'embedded' }>,
  deps: LogStoreDeps,
  opened: AsyncDisposableStack,
): Promise<Opened> {
  const { log, dataDir, known } = deps;
  const { directory } = config;
  const engine = deps.engine ?? opened.use(beginEngine(config, deps)!);
  opened.defer(closeIdleConnections); // the last statements run while the rest closes
  const access = await engine.started;
  if (known === undefined) {
    await createSchema({ access, clusterName: null, durability: 'checkpointed' });
    return { ...(await openPlace(access, deps, { directory, opened })), tables: null };
  }
  const tables = opened.use(await keepOwnTables({ access, directory, dataDir, known }, log));
  return { ...(await openPlace(tables.access, deps, { directory, opened })), tables };
}

/** Settles the ledger before anything is inserted, because a new part may get the name of a lost one. */
async function openPlace(
  access: EngineAccess,
  { log, dataDir }: LogStoreDeps,
  { directory, opened }: { directory: string; opened: AsyncDisposableStack },
): Promise<Omit<Opened, 'tables'>> {
  const ledger = opened.use(new PartLedger({ access, log, dataDir, directory }));
  await ledger.settled;
  const inserted = new InsertedTexts(access);
  return { shards: [{ url: 'embedded', access }], engines: [access], remote: null, ledger, inserted };
}

function openRemote(
  config: RemoteConfig,
  { log, known }: LogStoreDeps,
  opened: AsyncDisposableStack,
): Opened {
  opened.defer(closeIdleConnections);
  const shards = listShards(config, known);
  const remote = opened.use(keepTables({ shards, clusterName: config.cluster, known }, log));
  return { shards: shards.lanes, engines: shards.all, tables: remote, remote, ledger: null, inserted: null };
}
