/** Reads which clusters a server knows, and which one the table over all shards reads from. */

import { queryRows } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { sharedTable } from './schema.ts';

/** Returns 0 if the server does not know the cluster. */
export async function countShards(
  access: EngineAccess,
  cluster: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const sql = 'SELECT uniqExact(shard_num) FROM system.clusters WHERE cluster = {cluster:String}';
  const [row] = await queryRows(access, { sql, parameters: { cluster }, signal });
  return Number(row?.[0]);
}

/** Finds the cluster of the table over all shards; null without that table. Nodes with a longer list may have chosen a larger one. */
export async function findSharedCluster(
  access: EngineAccess,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const sql = `SELECT engine_full FROM system.tables WHERE concat(database, '.', name) = '${sharedTable}'`;
  const [row] = await queryRows(access, { sql, signal });
  return /^Distributed\('([^']+)'/.exec(String(row?.[0]))?.[1] ?? null;
}
