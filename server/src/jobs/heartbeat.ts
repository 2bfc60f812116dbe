/** Sends this node's heartbeat to the shared database, and signs off when it stops. */
import { hostname } from 'node:os';
import { beatIntervalMs, nameNode, recordNode } from '@tapedeck/domain/operations/nodes';
import type { Clock } from '@tapedeck/domain/ports/clock';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import type { LogStore } from '@tapedeck/log-store';
import type { Config } from '../config.ts';
import { version } from '../version.ts';
import type { Repeated } from './scheduler.ts';

/** Closes after everything but the database. */
export type OwnNode = AsyncDisposable & { begin(run: NodeRun): Promise<void> };

type NodeRun = {
  clock: Clock;
  logStore: Pick<LogStore, 'keepNodeId' | 'readJournal'>;
  repeated: Repeated[];
};

const lastWordMsMax = 1_000; // the stop waits no longer for a database that is away

/** Returns null if no other node shares the database. */
export function openOwnNode({ database, dataDir, journal }: Config, store: MetadataStore): OwnNode | null {
  if (database.kind === 'sqlite') return null;
  const name = nameNode({ hostname: hostname(), dataDir });
  let note: ((hasStopped: boolean) => Promise<void>) | null = null;
  return {
    async begin({ clock, logStore, repeated }) {
      const startedAt = clock.now();
      const journalId = await logStore.keepNodeId();
      note = async hasStopped => {
        // Entries in the bucket belong to no single node.
        const waitingEntries = journal === null ? ((await logStore.readJournal()).waiting?.entries ?? 0) : 0;
        await recordNode(
          { store, clock },
          { name, version, journalId, startedAt, stoppedAt: hasStopped ? clock.now() : null, waitingEntries },
        );
      };
      repeated.push({
        name: 'heartbeat',
        intervalMs: beatIntervalMs,
        work: () => note?.(false) ?? Promise.resolve(),
      });
    },
    async [Symbol.asyncDispose]() {
      if (note === null) return;
      const late = new Promise<void>(resolve => setTimeout(resolve, lastWordMsMax).unref());
      await Promise.race([note(true).catch(() => undefined), late]);
    },
  };
}
