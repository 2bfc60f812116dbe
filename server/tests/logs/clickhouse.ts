/** Real ClickHouse for tests: engines of our own with the schema made, and entries put in without the intake. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { formatMicros, parseTraceId } from '../../src/domain/logs/queryTraceIds.ts';
import type { LogEntry } from '../../src/domain/ports/logQueries.ts';
import { startEngine } from '../../src/stores/logs/engine/engine.ts';
import type { EngineAccess } from '../../src/stores/logs/engine/supervision.ts';
import { createSchema, insertTarget } from '../../src/stores/logs/schema.ts';

export type StoredEntry = { project: string; dataset: string; entry: LogEntry; retentionDays?: number };

export type TestEngine = AsyncDisposable & { access: EngineAccess; directory: string };

const memoryBytesMax = 900_000_000;

/** Few rows, many granules: what an index leaves out wrongly is missed. */
export async function startTestEngine(indexGranularity = 64): Promise<TestEngine> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-logs-'));
  const engine = await startEngine({ directory, memoryBytesMax });
  const access: EngineAccess = { endpoint: () => engine.endpoint, onUp: () => () => {} };
  await createSchema({ access, clusterName: null, indexGranularity });
  return {
    access,
    directory,
    async [Symbol.asyncDispose]() {
      engine.kill();
      await engine.ended;
      await rm(directory, { recursive: true });
    },
  };
}

/** Becomes one part in each partition. */
export async function insertEntries(access: EngineAccess, stored: readonly StoredEntry[]): Promise<void> {
  const lines = stored.map(({ project, dataset, entry, retentionDays }) => {
    const { timestampMicros, traceId, ...rest } = entry;
    assert.equal(parseTraceId(traceId)?.timestampMicros, timestampMicros);
    const timestamp = formatMicros(timestampMicros).replace('T', ' ').replace('Z', '');
    return JSON.stringify({
      project,
      dataset,
      timestamp,
      traceId,
      retentionDays: retentionDays ?? 0,
      ...rest,
    });
  });
  const query = `INSERT INTO ${insertTarget} FORMAT JSONEachRow`;
  const settings = { query, max_partitions_per_insert_block: '0', insert_deduplicate: '0' };
  const { url, headers } = access.endpoint()!;
  const answer = await fetch(`${url}/?${new URLSearchParams(settings)}`, {
    method: 'POST',
    headers,
    body: lines.join('\n'),
  });
  assert.equal(answer.status, 200, await answer.text());
}
