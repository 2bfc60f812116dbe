/**
 * Opens the log store for commands. If no service runs, a command opens the store itself and replays the journal. Beside a
 * running service it uses that service's engine, once the journal has handed over its entries.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { isJournalInUse, waitUntilCleared, waitUntilInserted } from './journal/disk/segmentWatch.ts';
import type { LogRemovals } from './operations/removals/logRemovals.ts';
import { createLogRemovals } from './operations/removals/removals.ts';
import type { LogQueries } from './queries/logQueries.ts';
import { createLogQueries } from './queries/queries.ts';
import { type LogStoreDeps, openLogStore } from './store.ts';
import { attachEngine } from './writer/engine/attachment.ts';
import { divideMemory, measureMemory } from './writer/engine/memory.ts';
import type { EngineAccess } from './writer/engine/supervision.ts';
import { PartSync } from './writer/flushing/partSync.ts';
import { createSchema } from './writer/schema/tables.ts';
import { type LogsConfig, listShards, reachServer } from './writer/servers/addresses.ts';
import type { LogServers } from './writer/servers/logServers.ts';
import { makeTables } from './writer/servers/remoteTables.ts';
import { nameServer } from './writer/servers/serverMarks.ts';

export type AttachedLogStore = AsyncDisposable & {
  shards: readonly [EngineAccess, ...EngineAccess[]];
  removals: LogRemovals;
  queries: Pick<LogQueries, 'listDatasets'>;
  /** Resolves once everything that this node acknowledged before is in the store. */
  flush(): Promise<void>;
  /** Resolves once rows written straight into the tables, past the intake, survive a power cut. */
  sync(): Promise<void>;
};

type Deps = Pick<LogStoreDeps, 'log' | 'dataDir' | 'known' | 'journal'>;

const flushMsMax = 30_000; // a journal of two gibibytes takes a while

/** Returns whether there is a store to open. The first start of a service creates an embedded one. */
export function hasLogStore(config: LogsConfig): boolean {
  return config.kind === 'clickhouse' || existsSync(config.directory);
}

export async function openAttachedLogStore(config: LogsConfig, deps: Deps): Promise<AttachedLogStore> {
  const journal = path.join(deps.dataDir, 'journal');
  // With a shared journal, any node can import the waiting entries.
  if (deps.journal || !isJournalInUse(journal)) return openAlone(config, deps);
  const [first, ...others] =
    config.kind === 'embedded'
      ? [await attachEngine(config.directory)]
      : config.urls.map(url => reachServer(url).access);
  const shards: AttachedLogStore['shards'] = [first!, ...others];
  const flush = () => waitUntilInserted(journal, flushMsMax);
  const isLocal = config.kind === 'embedded';
  const clusterName = isLocal ? null : config.cluster;
  const { questionBytesMax } = divideMemory(isLocal ? measureMemory() : Number.POSITIVE_INFINITY);
  return {
    shards,
    flush,
    sync: () => sync(config),
    queries: createLogQueries({
      shards,
      clusterName,
      flush,
      memoryBytesMax: questionBytesMax,
      waitForWholeBatches: async () => undefined, // commands count, and never page through results
      countInserted: null,
    }),
    removals: createLogRemovals({
      shards,
      flush,
      isShared: false, // commands delete no datasets
      flushAndForget: () => waitUntilCleared(journal, flushMsMax),
    }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Creates or completes the tables on external servers, and marks new servers. Does nothing for an embedded engine. */
export async function prepareLogTables(
  config: LogsConfig,
  known: LogServers | undefined,
  signal?: AbortSignal,
): Promise<void> {
  if (config.kind === 'embedded') return;
  const shards = listShards(config, known);
  await makeTables({ shards, clusterName: config.cluster, known }, signal);
}

/** Lists the statements that would create or complete the tables of each external server, in the order of the servers. Changes nothing. */
export async function planLogTables(
  config: LogsConfig,
  signal?: AbortSignal,
): Promise<{ server: string; statements: string[] }[]> {
  if (config.kind === 'embedded') return [];
  const { cluster: clusterName, urls } = config;
  return await Promise.all(
    urls.map(async text => {
      const { access } = reachServer(text);
      const planned: string[] = [];
      await createSchema({ access, clusterName, planned, signal });
      return { server: nameServer(access), statements: planned };
    }),
  );
}

/** External servers sync what they take; the embedded engine leaves that to us. */
async function sync(config: LogsConfig): Promise<void> {
  if (config.kind === 'embedded') await new PartSync(config.directory).sync();
}

/** A service can create the table once the server answers; a command needs it now. */
async function openAlone(config: LogsConfig, deps: Deps): Promise<AttachedLogStore> {
  if (config.kind === 'clickhouse') {
    await prepareLogTables(config, deps.known);
  }
  const store = await openLogStore(config, deps);
  const { shards, removals, queries, intake } = store;
  return {
    queries,
    shards,
    removals,
    flush: () => intake.flush(flushMsMax),
    sync: () => sync(config),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
