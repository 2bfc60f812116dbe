/** Whether the servers that the settings name are those of the cluster: else questions would find a part of the entries, or none. */

import { EngineError } from '../engine/requests.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { LogStoreFailure } from '../failures.ts';
import { queryRows, type Statement } from '../queries/statements.ts';

/** Two replicas of a shard may be named by one address: what is compared are the servers that answer. */
const identity = "concat(hostName(), ':', toString(tcpPort()))";

type Cluster = { shards: readonly EngineAccess[]; name: string; signal: AbortSignal | undefined };

const accessDeniedCode = 497;

/** What the service may not look at cannot be wrong as far as it knows. */
export async function requireCluster(cluster: Cluster): Promise<void> {
  try {
    await compareCluster(cluster);
  } catch (error) {
    if (!(error instanceof EngineError) || error.engineCode !== accessDeniedCode) throw error;
  }
}

async function compareCluster({ shards, name, signal }: Cluster): Promise<void> {
  const [first] = shards;
  if (first === undefined) return;
  const parameters = { cluster: name };
  const [row] = await queryRows(first, {
    sql: 'SELECT uniqExact(shard_num) FROM system.clusters WHERE cluster = {cluster:String}',
    parameters,
    signal,
  });
  const [known] = row as [number]; // a count without groups is one row
  if (known === 0) throw describeProblem(`ClickHouse knows no cluster "${name}"`);
  if (known !== shards.length) {
    throw describeProblem(
      `the cluster "${name}" has ${known} shards, and TAPEDECK_CLICKHOUSE_URL names ${shards.length}`,
    );
  }
  const named = await Promise.all(
    shards.map(shard => listServers(shard, { sql: `SELECT ${identity}`, signal })),
  );
  const servers = named.flat();
  if (new Set(servers).size < servers.length)
    throw describeProblem('TAPEDECK_CLICKHOUSE_URL names one server twice');
  const sql = `SELECT ${identity} FROM clusterAllReplicas({cluster:String}, system.one)`;
  const members = new Set(await listServers(first, { sql, parameters, signal }));
  const stranger = servers.find(server => !members.has(server));
  if (stranger !== undefined) throw describeProblem(`the server ${stranger} is not in the cluster "${name}"`);
}

async function listServers(access: EngineAccess, statement: Statement): Promise<string[]> {
  const rows = await queryRows(access, statement);
  return (rows as [string][]).map(([server]) => server); // as selected
}

function describeProblem(finding: string): LogStoreFailure {
  const sentence = `The log store is not set up right: ${finding}. Correct TAPEDECK_CLICKHOUSE_CLUSTER or TAPEDECK_CLICKHOUSE_URL: one server of each shard.`;
  return new LogStoreFailure('unavailable', sentence);
}
