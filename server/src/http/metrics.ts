/** Defines Prometheus metrics: requests by route and status, and the state of the process. */

import type { OutboxMeasures, WatchProgress } from '@tapedeck/alerting';
import type { BlobSweep } from '@tapedeck/domain/files/blobSweep';
import type { DiskState, DiskWatch } from '@tapedeck/domain/operations/diskWatch';
import type { StoreHealth } from '@tapedeck/domain/operations/storeHealth';
import type { ProjectCounts } from '@tapedeck/domain/projects/projectCounts';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { addJournalMetrics, addSweepGauges, addWatchGauges, type Journal } from './jobMetrics.ts';
import { addGauges, type NamedGauge } from './namedGauges.ts';
import { addProjectMetrics } from './projectMetrics.ts';
import { RequestCounters } from './requestCounters.ts';

export type Metrics = {
  contentType: string;
  print(): Promise<string>;
  /** Also counts log queries. */
  requests: RequestCounters;
  /** Shows each project's stored data and refused requests. */
  showProjects(counts: Pick<ProjectCounts, 'list'>): void;
  /** Shows the last sweep of all blobs, whichever node ran it. */
  showBlobSweep(read: () => Promise<BlobSweep | null>): void;
  /** Shows the last known state of each store. A scrape waits for none of them. */
  showStores(watch: Pick<StoreHealth, 'states'>): void;
  /** Shows the waiting messages of all nodes together. */
  showOutbox(read: () => Promise<OutboxMeasures | null>): void;
  /** Shows the progress of rule evaluation, on the node that does it. */
  showWatching(read: () => WatchProgress | null): void;
  showDisks(disks: Pick<DiskWatch, 'states'>): void;
  /** Shows when the last backup ended well, if any did. */
  showBackup(read: () => Promise<{ endedAt: number } | null>): void;
  /** Shows acknowledged entries that are not searchable yet. */
  showJournal(read: () => Promise<Journal>): void;
  /** Shows acknowledged entries that are missing. Shows nothing with an external ClickHouse. */
  showLogLoss(read: () => LogLoss | null): void;
};

/** Gauges that the library names like counters. The same numbers appear by type under the names without the ending. */
const misnamed = ['handles', 'requests', 'resources'] as const;

export function makeMetrics(version: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'tapedeck_' });
  for (const name of misnamed) registry.removeSingleMetric(`tapedeck_nodejs_active_${name}_total`);
  new Gauge({
    name: 'tapedeck_info',
    help: 'The version that runs.',
    labelNames: ['version'],
    registers: [registry],
  })
    .labels(version)
    .set(1);
  const requests = new RequestCounters();
  return {
    contentType: registry.contentType,
    print: async () => `${await registry.metrics()}\n${requests.print()}`,
    requests,
    showProjects: counts => addProjectMetrics(registry, counts),
    showBlobSweep: read => addSweepGauges(registry, read),
    showBackup: read => addBackupGauge(registry, read),
    showStores: watch => addStoreGauge(registry, watch),
    showOutbox: read => addGauges(registry, outboxGauges, read),
    showWatching: read => addWatchGauges(registry, read),
    showDisks: disks => addDiskGauges(registry, disks),
    showJournal: read => addJournalMetrics(registry, read),
    showLogLoss: read => addGauges(registry, lossGauges, async () => read()),
  };
}

type LogLoss = { parts: number; entries: number };

const lossGauges: readonly NamedGauge<LogLoss>[] = [
  {
    name: 'log_parts_missing',
    help: 'Missing or damaged parts of the log engine in the data directory that nobody has accepted.',
    pick: ({ parts }) => parts,
  },
  {
    name: 'log_entries_missing',
    help: 'Acknowledged log entries in the missing parts.',
    pick: ({ entries }) => entries,
  },
];

function addBackupGauge(registry: Registry, read: () => Promise<{ endedAt: number } | null>): void {
  new Gauge({
    name: 'tapedeck_last_backup_timestamp_seconds',
    help: 'When the last successful backup ended, in Unix seconds; absent if there was none.',
    registers: [registry],
    async collect() {
      this.remove();
      const backup = await read().catch(() => null);
      if (backup !== null) this.set(backup.endedAt / 1000);
    },
  });
}

function addStoreGauge(registry: Registry, watch: Pick<StoreHealth, 'states'>): void {
  new Gauge({
    name: 'tapedeck_store_up',
    help: 'Whether a store answers: 1, otherwise 0.',
    labelNames: ['store'],
    registers: [registry],
    collect() {
      for (const { name, reason } of watch.states) this.labels(name).set(reason === null ? 1 : 0);
    },
  });
}

const outboxGauges: readonly NamedGauge<OutboxMeasures>[] = [
  {
    name: 'deliveries_waiting',
    help: 'Notifications and events that are not delivered yet.',
    pick: ({ waiting }) => waiting,
  },
  {
    name: 'deliveries_oldest_seconds',
    help: 'How long the oldest undelivered notification has been waiting.',
    pick: ({ oldestMs }) => oldestMs / 1000,
  },
  {
    name: 'deliveries_failed',
    help: 'Notifications and events that failed for good in the last 24 hours.',
    pick: ({ failed }) => failed,
  },
  {
    name: 'channels_off',
    help: 'Channels that are turned off, manually or after a day without success.',
    pick: ({ channelsOff }) => channelsOff,
  },
];

const diskGauges: readonly { name: string; help: string; pick: (state: DiskState) => number }[] = [
  {
    name: 'disk_free_bytes',
    help: 'Bytes that are free on the disk that holds a folder of the data directory.',
    pick: ({ freeBytes }) => freeBytes,
  },
  {
    name: 'disk_total_bytes',
    help: 'Size of the disk that holds a folder of the data directory.',
    pick: ({ totalBytes }) => totalBytes,
  },
  {
    name: 'disk_free_files',
    help: 'How many more files fit on the disk that holds a folder of the data directory.',
    pick: ({ freeFiles }) => freeFiles,
  },
  {
    name: 'disk_files_max',
    help: 'How many files fit on the disk in total; 0 if the file system has no limit.',
    pick: ({ filesMax }) => filesMax,
  },
  {
    name: 'disk_full',
    help: 'Whether the disk is full: 1, otherwise 0.',
    pick: ({ level }) => (level === 'full' ? 1 : 0),
  },
];

function addDiskGauges(registry: Registry, disks: Pick<DiskWatch, 'states'>): void {
  for (const { name, help, pick } of diskGauges) {
    new Gauge({
      name: `tapedeck_${name}`,
      help,
      labelNames: ['store'],
      registers: [registry],
      collect() {
        this.reset();
        for (const state of disks.states) this.labels(state.disk).set(pick(state));
      },
    });
  }
}
