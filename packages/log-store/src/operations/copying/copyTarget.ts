/**
 * Inspects the ClickHouse servers that entries will be copied to, before anything is written there, and then marks them and
 * creates their tables.
 */

import { LogStoreFailure } from '../../failures.ts';
import { queryRows } from '../../writer/engine/statements.ts';
import type { EngineAccess } from '../../writer/engine/supervision.ts';
import { localTable } from '../../writer/schema/schema.ts';
import { listShards, type RemoteConfig, reachServer } from '../../writer/servers/addresses.ts';
import { requireCluster } from '../../writer/servers/cluster.ts';
import type { LogServers } from '../../writer/servers/logServers.ts';
import { makeTables } from '../../writer/servers/remoteTables.ts';
import { hasLogTable, nameServer, readServerMark } from '../../writer/servers/serverMarks.ts';

type FoundServer = {
  title: string;
  /** The installation in its mark, and the names that it has there; null if there is no mark. */
  mark: { installationId: string; names: readonly string[] } | null;
  holdsEntries: boolean;
};

/** The first version whose text indexes, with the codec of the tables, are not experimental. Tested with 26.7. */
const versionMin = [26, 2] as const;

/** Rejects if a server does not answer, or is too old. */
export async function inspectTarget({ urls, cluster }: RemoteConfig): Promise<FoundServer[]> {
  const found: FoundServer[] = [];
  const shards = urls.map(url => reachServer(url).access);
  for (const access of shards) {
    const title = nameServer(access);
    try {
      const [row] = await queryRows(access, { sql: 'SELECT version()' });
      requireVersion(title, String(row?.[0]));
      const hasTable = await hasLogTable(access);
      const [entry] = hasTable ? await queryRows(access, { sql: `SELECT 1 FROM ${localTable} LIMIT 1` }) : [];
      found.push({ title, mark: await readServerMark(access), holdsEntries: entry !== undefined });
    } catch (cause) {
      if (cause instanceof LogStoreFailure && cause.code === 'unavailable') throw cause;
      throw describeSilence(title, cause);
    }
  }
  if (cluster !== null) await requireCluster({ listed: shards, name: cluster, signal: undefined });
  return found;
}

/** Creates missing tables and marks. Resolves to the servers. */
export async function openTarget(config: RemoteConfig, known: LogServers): Promise<EngineAccess[]> {
  const shards = listShards(config, known);
  await makeTables({ shards, clusterName: config.cluster, known });
  return [...shards.listed];
}

function requireVersion(title: string, version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [majorMin, minorMin] = versionMin;
  if (major > majorMin || (major === majorMin && minor >= minorMin)) return;
  throw new LogStoreFailure(
    'unavailable',
    `${title.replace('the', 'The')} is of version ${version}; the log tables need ${versionMin.join('.')} or newer.`,
  );
}

function describeSilence(title: string, cause: unknown): LogStoreFailure {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const reason = (inner instanceof Error ? inner.message : String(inner)).slice(0, 300);
  return new LogStoreFailure('unavailable', `${title.replace('the', 'The')} cannot be used: ${reason}`, {
    cause,
  });
}
