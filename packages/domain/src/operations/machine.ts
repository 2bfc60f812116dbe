/** Reports this node's state to owners: disk space, journal, log store, backups, problems. */

import type { Clock } from '../ports/clock.ts';
import type { LogHealth } from '../ports/logs.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import type { NodeRecord } from '../ports/nodes.ts';
import { estimateDaysLeft, readPaceOfAll } from '../projects/storage.ts';
import { type BackupRecord, readBackup } from './backups.ts';
import { type DiskWatch, findDiskProblem } from './diskWatch.ts';
import { describeNodeState, type NodeState } from './nodes.ts';
import type { StoreHealth, StoreName } from './storeHealth.ts';

/** The disk that holds the data directory. */
type DiskSpace = { freeBytes: number; totalBytes: number };

export type Machine = {
  version: string;
  startedAt: number;
  disk: DiskSpace & {
    /** True if files and logs are stored on it. */
    holds: { files: boolean; logs: boolean };
    /** Growth per day; null: too little data yet. */
    bytesADay: number | null;
    sinceAt: number | null;
    /** null: unknown, or the disk is not filling. */
    daysLeft: number | null;
  };
  logs: LogHealth;
  backup: BackupRecord | null;
  /** Nodes that share the database; empty if it is not shared. */
  nodes: readonly (NodeRecord & { state: NodeState })[];
  /** One entry per unreachable store, and one each for a full disk and missing log entries. */
  trouble: readonly { name: StoreName | 'disk' | 'entries'; sentence: string }[];
};

type MachineDeps = {
  store: Pick<MetadataStore, 'read' | 'write'>;
  clock: Clock;
  version: string;
  watch: Pick<StoreHealth, 'look'>;
  holds: Machine['disk']['holds'];
  disks: DiskWatch;
  inspectLogs(): Promise<LogHealth>;
};

const believedMsMax = 3_000; // many owners with many tabs cause one check

/** Remembers each result for a moment; callers share it meanwhile. */
export function openMachine(deps: MachineDeps): () => Promise<Machine> {
  const startedAt = deps.clock.now();
  let last: { looking: Promise<Machine>; at: number } | null = null;
  return () => {
    if (last !== null && performance.now() - last.at < believedMsMax) return last.looking;
    const looking = inspectMachine(deps, startedAt);
    const remembered = { looking, at: performance.now() };
    last = remembered;
    looking.catch(() => {
      if (last === remembered) last = null;
    });
    return looking;
  };
}

async function inspectMachine(deps: MachineDeps, startedAt: number): Promise<Machine> {
  const { holds, version } = deps;
  const [, pace, logs, backup, stores, known] = await Promise.all([
    deps.disks.look(),
    readPaceOfAll(deps),
    deps.inspectLogs(),
    readBackup(deps),
    deps.watch.look(),
    deps.store.read.nodes.list(),
  ]);
  const now = deps.clock.now();
  const space = readDiskSpace(deps.disks);
  const fullDisk = findDiskProblem(deps.disks);
  const isEstimated = pace !== null && (holds.files || holds.logs);
  const bytesADay = isEstimated
    ? (holds.files ? pace.mediaBytesADay : 0) + (holds.logs ? pace.logBytesADay : 0)
    : null;
  const daysLeft = estimateDaysLeft(space.freeBytes, bytesADay);
  return {
    version,
    startedAt,
    logs,
    backup,
    nodes: known.map(node => ({ ...node, state: describeNodeState(node, now) })),
    disk: { ...space, holds, bytesADay, sinceAt: isEstimated ? pace.sinceAt : null, daysLeft },
    trouble: [
      ...(fullDisk === null ? [] : [{ name: 'disk' as const, sentence: fullDisk }]),
      ...stores.flatMap(({ name, reason }) => (reason === null ? [] : { name, sentence: reason })),
      ...(logs.loss === null ? [] : [{ name: 'entries' as const, sentence: logs.loss }]),
    ],
  };
}

function readDiskSpace({ states }: DiskWatch): DiskSpace {
  const state = states.find(({ disk }) => disk === 'data');
  if (state === undefined)
    throw new Error('The free space on the disk of the data directory could not be read.');
  return { freeBytes: state.freeBytes, totalBytes: state.totalBytes };
}
