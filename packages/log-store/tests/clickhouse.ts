/**
 * Real ClickHouse for tests: embedded engines with the schema, and entries inserted without the intake. With
 * LOG_CLICKHOUSE_URL, tests use a running server and empty its log table.
 */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { formatMicros, type LogEntry, parseTraceId } from '@tapedeck/log-entries';
import { findPattern } from '@tapedeck/log-patterns';
import { createLogQueries } from '../src/queries/queries.ts';
import type { EngineCluster } from '../src/writer/engine/configuration.ts';
import { type Engine, startEngine } from '../src/writer/engine/engine.ts';
import { runCommand } from '../src/writer/engine/statements.ts';
import type { EngineAccess } from '../src/writer/engine/supervision.ts';
import { insertTarget, localTable } from '../src/writer/schema/schema.ts';
import { createSchema } from '../src/writer/schema/tables.ts';

/** An entry whose pattern follows from its body. */
export type StoredEntry = { project: string; entry: Omit<LogEntry, 'pattern'>; retentionDays?: number };

export type TestStore = AsyncDisposable & {
  shards: readonly [EngineAccess, ...EngineAccess[]];
  clusterName: string | null;
};

const memoryBytesMax = 900_000_000;
const clusterName = 'shards';
const granularityOfTests = 64; // few rows, many granules: tests notice what an index wrongly leaves out

let shardCount = 1;

/** Makes every store started afterwards a cluster of this many shards. */
export function useShards(count: number): void {
  shardCount = count;
}

export async function startTestStore(indexGranularity = granularityOfTests): Promise<TestStore> {
  const url = process.env.LOG_CLICKHOUSE_URL;
  if (url !== undefined) return useServer(url, indexGranularity);
  await using opened = new AsyncDisposableStack();
  const directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-logs-'));
  opened.defer(() => rm(directory, { recursive: true }));
  const clusters = shardCount === 1 ? [null] : await makeCluster(shardCount);
  const shards: EngineAccess[] = [];
  for (const [index, cluster] of clusters.entries()) {
    const engine = await startEngine({
      directory: path.join(directory, `shard-${index}`),
      memoryBytesMax,
      ...(cluster && { cluster }),
    });
    opened.defer(() => endEngine(engine));
    shards.push({ endpoint: () => engine.endpoint, onUp: () => () => {} });
  }
  const name = shardCount === 1 ? null : clusterName;
  for (const access of shards) await createSchema({ access, clusterName: name, indexGranularity });
  const running = opened.move();
  const [first, ...others] = shards;
  return {
    shards: [first!, ...others],
    clusterName: name,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function useServer(url: string, indexGranularity: number): Promise<TestStore> {
  const access: EngineAccess = { endpoint: () => ({ url, headers: {} }), onUp: () => () => {} };
  await createSchema({ access, clusterName: null, indexGranularity });
  const empty = () => runCommand(access, `TRUNCATE TABLE ${localTable}`);
  await empty();
  return { shards: [access], clusterName: null, [Symbol.asyncDispose]: empty };
}

async function endEngine(engine: Engine): Promise<void> {
  engine.kill();
  await engine.ended;
}

/** Returns the configuration of each shard, which names all shards. */
export async function makeCluster(shardCount: number): Promise<EngineCluster[]> {
  const shards: EngineCluster['shards'][number][] = [];
  for (let index = 0; index < shardCount; index++) {
    shards.push({ host: '127.0.0.1', tcpPort: await findFreePort() });
  }
  return shards.map(({ tcpPort }) => ({ name: clusterName, tcpPort, shards }));
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

export async function runOnShards(store: TestStore, sql: string): Promise<void> {
  for (const access of store.shards) await runCommand(access, sql);
}

/** Spreads entries over the shards in turn. On each, they become one part per partition. */
export async function insertEntries(store: TestStore, stored: readonly StoredEntry[]): Promise<void> {
  for (const [index, access] of store.shards.entries()) {
    const share = stored.filter((_, position) => position % store.shards.length === index);
    if (share.length > 0) await insertInto(access, share);
  }
}

/** Inserts entries as one part per partition. The target may lack columns, as tables of earlier versions do. */
export async function insertInto(
  access: EngineAccess,
  stored: readonly StoredEntry[],
  target = insertTarget,
): Promise<void> {
  const lines = stored.map(({ project, entry, retentionDays }) => {
    const { timestampMicros, traceId, ...rest } = entry;
    assert.equal(parseTraceId(traceId)?.timestampMicros, timestampMicros);
    const timestamp = formatMicros(timestampMicros).replace('T', ' ').replace('Z', '');
    return JSON.stringify({
      project,
      timestamp,
      traceId,
      retentionDays: retentionDays ?? 0,
      ...rest,
      pattern: BigInt(`0x${findPattern(entry.body).pattern}`).toString(),
    });
  });
  const query = `INSERT INTO ${target} FORMAT JSONEachRow`;
  const settings = {
    query,
    max_partitions_per_insert_block: '0',
    insert_deduplicate: '0',
    input_format_skip_unknown_fields: '1',
  };
  const { url, headers } = access.endpoint()!;
  const answer = await fetch(`${url}/?${new URLSearchParams(settings)}`, {
    method: 'POST',
    headers,
    body: lines.join('\n'),
  });
  assert.equal(answer.status, 200, await answer.text());
}

/** Opens the queries of a service, through the given connections to the shards. */
export function openQueries(
  { clusterName }: TestStore,
  shards: TestStore['shards'],
  questionBytesMax = 400_000_000,
): ReturnType<typeof createLogQueries> {
  return createLogQueries({
    shards,
    clusterName,
    countInserted: clusterName === null ? () => 0 : null,
    memoryBytesMax: questionBytesMax,
    flush: async () => {},
    waitForWholeBatches: async () => {},
  });
}
