/**
 * Declares replicated tables, for clusters with several copies of a shard. Tests have no engine that can replicate: an
 * engine parses the statements, but they were never run.
 */

import { queryRows } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';

/** Keeper remembers this many inserts of a shard, whichever copy took them, for as long as a journal may keep one. */
export const replicationSettings: Readonly<Record<string, number>> = {
  replicated_deduplication_window: 10_000,
  replicated_deduplication_window_seconds: 7 * 86_400,
};

/** Target of a new table: one server, or all servers of a cluster, with replicas. */
export type TablePlace = { onCluster: string; engine: (table: string) => string };

export const ownPlace: TablePlace = { onCluster: '', engine: () => 'MergeTree' };

/** Each server's macros name its shard and its copy. */
export function placeOnCluster(clusterName: string): TablePlace {
  const quoted = clusterName.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return {
    onCluster: ` ON CLUSTER '${quoted}'`,
    engine: table =>
      `ReplicatedMergeTree('/clickhouse/tables/{shard}/${table.replace('.', '/')}', '{replica}')`,
  };
}

/** Chooses replicated tables if shards have several servers each, identified by macros. */
export async function choosePlace(
  access: EngineAccess,
  clusterName: string | null,
  signal: AbortSignal | undefined,
): Promise<TablePlace> {
  if (clusterName === null) return ownPlace;
  const sql = `SELECT (SELECT max(replica_num) FROM system.clusters WHERE cluster = {cluster:String}),
      (SELECT uniqExact(macro) FROM system.macros WHERE macro IN ('shard', 'replica'))`;
  const [row] = await queryRows(access, { sql, parameters: { cluster: clusterName }, signal });
  const [copies, macros] = (row ?? []).map(Number);
  return (copies ?? 0) > 1 && macros === 2 ? placeOnCluster(clusterName) : ownPlace;
}

/**
 * The engine accepts an insert once most copies of the shard have it, one insert after another. So a query to any copy finds
 * everything accepted before, or is refused. Tables without copies ignore these settings.
 */
export const quorumSettings = { insert_quorum: 'auto', insert_quorum_parallel: 0 } as const;
export const sequentialSettings = { select_sequential_consistency: 1 } as const;
