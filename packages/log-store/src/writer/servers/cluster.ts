/**
 * Checks that the configured servers belong to the cluster; otherwise queries would find only some of the entries, or
 * none. The cluster may have more shards: nodes with a longer list store entries there, and queries reach them through
 * the table over all shards.
 */

import { LogStoreFailure } from '../../failures.ts';
import { EngineError } from '../engine/requests.ts';
import { queryRows, type Statement } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { countShards, findSharedCluster } from '../schema/clusters.ts';
import { localTable } from '../schema/schema.ts';

/** One address may name two replicas of a shard, so this identifies the server that answers. */
const identity = "concat(hostName(), ':', toString(tcpPort()))";

/** `listed`: the servers that the settings name. */
type Cluster = { listed: readonly EngineAccess[]; name: string; signal: AbortSignal | undefined };

/** `listed`: in the order of the servers. */
export type ClusterMembers = { listed: readonly string[]; all: ReadonlySet<string> };

const accessDeniedCode = 497;

/** Returns null if the service may not read the cluster; it then assumes that the cluster is right. */
export async function requireCluster(cluster: Cluster): Promise<ClusterMembers | null> {
  try {
    return await compareCluster(cluster);
  } catch (error) {
    if (!(error instanceof EngineError) || error.engineCode !== accessDeniedCode) throw error;
    return null;
  }
}

async function compareCluster({ listed, name, signal }: Cluster): Promise<ClusterMembers> {
  const counts = await Promise.all(listed.map(access => countShards(access, name, signal)));
  const known = Math.min(...counts);
  if (known === 0) throw describeProblem(`ClickHouse has no cluster "${name}"`);
  if (known < listed.length) {
    throw describeProblem(
      `the cluster "${name}" has ${known} shards, and TAPEDECK_CLICKHOUSE_URL names ${listed.length}`,
    );
  }
  if (Math.max(...counts) > known) {
    const finding = `some servers list ${known} shards of the cluster "${name}", and others ${Math.max(...counts)}`;
    throw new LogStoreFailure('unavailable', `${finding}: give all servers the same remote_servers.`);
  }
  const servers = await Promise.all(listed.map(access => identifyServer(access, signal)));
  if (new Set(servers).size < servers.length)
    throw describeProblem('TAPEDECK_CLICKHOUSE_URL names one server twice');
  const [first] = listed;
  const all = new Set<string>();
  for (const cluster of new Set([name, (await findSharedCluster(first!, signal)) ?? name])) {
    const sql = `SELECT ${identity} FROM clusterAllReplicas({cluster:String}, system.one)`;
    for (const member of await listTexts(first!, { sql, parameters: { cluster }, signal })) all.add(member);
  }
  const stranger = servers.find(server => !all.has(server));
  if (stranger !== undefined) throw describeProblem(`the server ${stranger} is not in the cluster "${name}"`);
  return { listed: servers, all };
}

/** If the settings name fewer servers than exist, an operator must create the tables on the others: queries fail without them. */
export async function requireTables(
  { listed, name, signal }: Cluster,
  members: ClusterMembers,
): Promise<void> {
  if (members.all.size <= listed.length) return;
  const sql = `SELECT ${identity} FROM clusterAllReplicas({cluster:String}, system.tables)
    WHERE concat(database, '.', name) = '${localTable}'`;
  const having = await listTexts(listed[0]!, { sql, parameters: { cluster: name }, signal });
  const lacking = [...members.all].find(server => !having.includes(server));
  if (lacking === undefined) return;
  throw new LogStoreFailure(
    'unavailable',
    `The server ${lacking} of the cluster "${name}" has no table ${localTable}: run \`tapedeck migrate\` with a TAPEDECK_CLICKHOUSE_URL that names one server of each shard.`,
  );
}

export async function identifyServer(access: EngineAccess, signal: AbortSignal | undefined): Promise<string> {
  const [server] = await listTexts(access, { sql: `SELECT ${identity}`, signal });
  return server ?? '';
}

async function listTexts(access: EngineAccess, statement: Statement): Promise<string[]> {
  const rows = await queryRows(access, statement);
  return (rows as [string][]).map(([text]) => text); // as selected
}

function describeProblem(finding: string): LogStoreFailure {
  const sentence = `The log store is not set up correctly: ${finding}. Correct TAPEDECK_CLICKHOUSE_CLUSTER or TAPEDECK_CLICKHOUSE_URL: one server of each shard.`;
  return new LogStoreFailure('unavailable', sentence);
}
