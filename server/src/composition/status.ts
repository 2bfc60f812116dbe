/** Opens the parts that report health: store checks, the machine's state, and daily storage. */

import type { DiskWatch } from '@tapedeck/domain/operations/diskWatch';
import { withLease } from '@tapedeck/domain/operations/leases';
import { type Machine, openMachine } from '@tapedeck/domain/operations/machine';
import type { StoreHealth } from '@tapedeck/domain/operations/storeHealth';
import type { Clock } from '@tapedeck/domain/ports/clock';
import type { FileRecords } from '@tapedeck/domain/ports/files';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import { recordStorage } from '@tapedeck/domain/projects/storage';
import type { LogStore } from '@tapedeck/log-store';
import { Failure } from '@tapedeck/values/failure';
import type { Config } from '../config.ts';
import type { Metrics } from '../http/metrics.ts';
import { openDiskWatch } from '../jobs/diskSpace.ts';
import type { OwnNode } from '../jobs/heartbeat.ts';
import type { OutageLog } from '../jobs/outageLog.ts';
import type { Repeated } from '../jobs/scheduler.ts';
import { version } from '../version.ts';

type ConditionDeps = {
  store: MetadataStore;
  files: FileRecords;
  logStore: LogStore;
  clock: Clock;
  repeated: Repeated[];
  watch: StoreHealth;
  node: OwnNode | null;
  log: OutageLog;
  metrics: Pick<Metrics, 'showDisks'>;
};

const noteIntervalMs = 600_000; // once done, the job does nothing for a day
const leaseMs = 60_000; // no request waits for this job

export async function openStatus(
  config: Config,
  { store, files, logStore, clock, repeated, watch, node, log, metrics }: ConditionDeps,
): Promise<{ lookAtMachine: () => Promise<Machine>; disks: DiskWatch }> {
  const disks = await openDiskWatch(config, { log, repeated });
  metrics.showDisks(disks);
  await node?.begin({ clock, logStore, repeated });
  const lease = { name: 'note storage', leaseMs };
  const noting = { store, files, logQueries: logStore.queries, clock };
  repeated.push({
    name: 'note storage',
    intervalMs: noteIntervalMs,
    work: signal => withLease(noting, { ...lease, signal }, inside => recordStorage(noting, inside)),
  });
  const lookAtMachine = openMachine({
    store,
    clock,
    version,
    watch,
    holds: { files: config.blobs.kind === 'disk', logs: config.logs.kind === 'embedded' },
    disks,
    inspectLogs: () => logStore.inspect(),
  });
  return { lookAtMachine, disks };
}

/** Returns the reason why no entries can be taken right now; null: they can. */
export function findProblem(logStore: LogStore): string | null {
  try {
    logStore.requireTaking();
    return null;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}
