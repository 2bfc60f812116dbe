/** Opens what tells how the service is: whether its stores answer, how its machine is, and what is stored on each day. */
import type { LogStore } from '@tapedeck/log-store';
import type { Repeated } from './backgroundWork.ts';
import type { Config } from './config.ts';
import { withLease } from './domain/leases.ts';
import { type Machine, openMachine } from './domain/machine.ts';
import type { Clock } from './domain/ports/clock.ts';
import type { FileRecords } from './domain/ports/files.ts';
import type { MetadataStore } from './domain/ports/metadata.ts';
import { noteStorage } from './domain/storage.ts';
import type { StoreWatch } from './domain/storeWatch.ts';
import type { OwnNode } from './nodeWork.ts';
import { measureRoom } from './stores/dataDirectory/room.ts';
import { version } from './version.ts';

type ConditionDeps = {
  store: MetadataStore;
  files: FileRecords;
  logStore: LogStore;
  clock: Clock;
  repeated: Repeated[];
  watch: StoreWatch;
  node: OwnNode | null;
};

const noteIntervalMs = 600_000; // it does nothing for a day once it is done
const leaseMs = 60_000; // nobody waits for it

export async function openCondition(
  { dataDir, blobs: chosenBlobs, logs: chosenLogs }: Config,
  { store, files, logStore, clock, repeated, watch, node }: ConditionDeps,
): Promise<{ lookAtMachine: () => Promise<Machine> }> {
  await node?.begin({ clock, logStore, repeated });
  const lease = { name: 'note storage', leaseMs };
  const noting = { store, files, logQueries: logStore.queries, clock };
  repeated.push({
    intervalMs: noteIntervalMs,
    work: signal => withLease(noting, { ...lease, signal }, inside => noteStorage(noting, inside)),
  });
  const lookAtMachine = openMachine({
    ...{ store, clock, version, watch },
    holds: { files: chosenBlobs.kind === 'disk', logs: chosenLogs.kind === 'embedded' },
    measureRoom: () => measureRoom(dataDir),
    inspectLogs: () => logStore.inspect(),
  });
  return { lookAtMachine };
}
