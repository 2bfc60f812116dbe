/** Reports the store's health to operators: the journal's backlog, and the servers. */

import { queryRows } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import type { WaitingEntries } from '../flushing/flusher.ts';

/** `version` and `memoryBytes` (allocated memory) are null if the server does not answer. */
type ServerHealth = { isAnswering: boolean; version: string | null; memoryBytes: number | null };

export type LogHealth = {
  /** True for an embedded engine, on this machine. */
  isOwn: boolean;
  /** Entries in this node's journal, or in the one that nodes share. */
  waiting: WaitingEntries;
  servers: readonly ServerHealth[];
  /** Says that acknowledged entries are missing, and what to do; null if none are. */
  loss: string | null;
};

const answerMsMax = 2_000;

const question = `SELECT version(), (SELECT toInt64(max(value)) FROM system.metrics WHERE metric = 'MemoryTracking')`;

/** Never rejects: a server that does not answer is reported as such. */
export async function inspectServers(shards: readonly EngineAccess[]): Promise<ServerHealth[]> {
  return await Promise.all(shards.map(inspectServer));
}

async function inspectServer(access: EngineAccess): Promise<ServerHealth> {
  try {
    const signal = AbortSignal.timeout(answerMsMax);
    const [row] = await queryRows(access, { sql: question, signal });
    const [version, memoryBytes] = row as [string, number]; // as selected
    return { isAnswering: true, version, memoryBytes };
  } catch {
    return { isAnswering: false, version: null, memoryBytes: null };
  }
}
