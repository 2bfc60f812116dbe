/**
 * Creates the tables on external ClickHouse servers once they answer, and checks them as long as the service runs. Until
 * they are as they should be, entries wait in the journal, and queries are refused, because they would miss entries.
 */

import { Failure } from '@tapedeck/values/failure';
import { LogStoreFailure, WrongOwner } from '../../failures.ts';
import type { Logger } from '../../logger.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { createSchema, shareTable } from '../schema/tables.ts';
import { requireCluster, requireTables } from './cluster.ts';
import type { LogServers } from './logServers.ts';
import { checkMarks, markNew, requireStanding } from './serverMarks.ts';
import type { ShardList } from './shardList.ts';

/** The tables as queries see them. */
export type LogTables = Disposable & Pick<RemoteTables, 'finding' | 'require' | 'confirm'>;

export type RemoteTables = Disposable & {
  /** Resolves after the first look, whatever it finds. */
  looked: Promise<void>;
  /** The problem to fix, if it is known. */
  readonly finding: LogStoreFailure | null;
  /** Throws while the tables are not as they should be. */
  require(): void;
  /** Rejects unless answers read before the call came from servers that lack nothing. */
  confirm(): Promise<void>;
  /** Rejects unless the server still has its mark. */
  confirmServer(access: EngineAccess): Promise<void>;
  /** Throws when a server was found that belongs to another installation. */
  requireOwn(): void;
};

type RemoteServers = {
  shards: ShardList;
  clusterName: string | null;
  /** Marks to compare with; if absent, marks are not checked. */
  known?: LogServers | undefined;
};

const retryIntervalMs = 1_000;
const pollIntervalMs = 10_000; // a server may be replaced by an empty one
const answerMsMax = 10_000; // a silent server may answer the next time

export function keepTables(servers: RemoteServers, log: Logger): RemoteTables {
  let timer: NodeJS.Timeout | null = null;
  let isDone = false;
  let isReady = false;
  let told = '';
  let finding: LogStoreFailure | null = null;
  const refuse = () => describeUnready(finding);
  const look = async (): Promise<void> => {
    try {
      await makeTables(servers, AbortSignal.timeout(answerMsMax));
      isReady = true;
      finding = null;
      told = '';
    } catch (error) {
      if (isFinding(error)) finding = error;
      // A server that was ready and stopped answering reports that by itself.
      isReady &&= !isFinding(error);
      const reason = error instanceof Error ? error.message : String(error);
      if (!isDone && !isReady && reason !== told)
        log.warn({ reason }, 'the log tables are not as expected; trying again');
      told = reason;
    }
    if (!isDone) timer = setTimeout(() => void look(), isReady ? pollIntervalMs : retryIntervalMs).unref();
  };
  return {
    looked: look(),
    get finding() {
      return finding;
    },
    require() {
      if (!isReady) throw refuse();
    },
    async confirm() {
      const { known, shards } = servers;
      if (!isReady) throw refuse();
      if (known === undefined) return;
      try {
        await requireStanding(shards.all, known.installationId, AbortSignal.timeout(answerMsMax));
      } catch (error) {
        if (!isFinding(error)) throw error;
        isReady = false; // the next look writes it into the log
        finding = error;
        throw refuse();
      }
    },
    async confirmServer(access) {
      if (servers.known === undefined) return;
      await requireStanding([access], servers.known.installationId, AbortSignal.timeout(answerMsMax));
    },
    requireOwn() {
      if (finding instanceof WrongOwner) throw finding;
    },
    [Symbol.dispose]() {
      isDone = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

export async function makeTables(
  { shards, clusterName, known }: RemoteServers,
  signal?: AbortSignal,
): Promise<void> {
  const { listed } = shards;
  const cluster = clusterName === null ? null : { listed, name: clusterName, signal };
  const members = cluster && (await requireCluster(cluster));
  if (members !== null) await shards.join(members, signal);
  const found = known && (await checkMarks(listed, known, signal));
  // Creates the table over all shards after those on each server, so that no query reaches a server without its table.
  const tables = { clusterName: null, replicatedIn: clusterName, signal };
  await Promise.all(listed.map(access => createSchema({ ...tables, access })));
  if (cluster !== null && members !== null) await requireTables(cluster, members);
  if (clusterName !== null)
    await Promise.all(listed.map(access => shareTable({ access, clusterName, signal }, clusterName)));
  if (found !== undefined) await markNew(found, known!, signal);
}

/** Returns the error that queries get. */
export function describeUnready(finding: LogStoreFailure | null): LogStoreFailure {
  const sentence = finding?.message ?? 'The log store is not ready. Try again later.';
  return new LogStoreFailure('engine_unavailable', sentence, { retryAfterSeconds: 5 });
}

/** Returns whether an operator must fix the problem, unlike an outage. */
function isFinding(error: unknown): error is LogStoreFailure {
  return error instanceof Failure && error.code === 'unavailable';
}
