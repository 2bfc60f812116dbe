/** The metrics for Prometheus: requests by route and status, and the state of the process. */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { DiskState, DiskWatch } from '../domain/diskWatch.ts';
import type { BlobSweep } from '../domain/files/blobSweep.ts';
import type { OutboxMeasures } from '../domain/ports/telling.ts';
import type { StoreWatch } from '../domain/storeWatch.ts';
import type { WatchProgress } from '../domain/telling/watch/watcher.ts';
import { RequestCounters } from './requestCounters.ts';

export type Metrics = {
  contentType: string;
  print(): Promise<string>;
  requests: RequestCounters;
  /** Shows the last sweep of all blobs, whichever node made it. */
  showBlobSweep(read: () => Promise<BlobSweep | null>): void;
  /** Shows which stores answer, as far as is known: a scrape waits for none of them. */
  showStores(watch: Pick<StoreWatch, 'states'>): void;
  /** Shows what is to be told, by all nodes together. */
  showOutbox(read: () => Promise<OutboxMeasures | null>): void;
  /** Shows how watching for rules goes, at the node that does. */
  showWatching(read: () => WatchProgress | null): void;
  /** Shows how much room the disks have. */
  showDisks(disks: Pick<DiskWatch, 'states'>): void;
  /** Shows when the last backup ended well; nothing where none ever did. */
  showBackup(read: () => Promise<{ endedAt: number } | null>): void;
  /** Shows what was acknowledged and is not found yet. */
  showJournal(read: () => Promise<Journal>): void;
};

type Journal = {
  /** null: nobody can tell. */
  waiting: { entries: number; bytes: number; oldestAt: number | null } | null;
  damaged: number | null;
  /** null: it has no bound. */
  bytesMax: number | null;
  failures: number;
};

export function makeMetrics(version: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'tapedeck_' });
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
    showBlobSweep: read => addSweepGauge(registry, read),
    showBackup: read => addBackupGauge(registry, read),
    showStores: watch => addStoreGauge(registry, watch),
    showOutbox: read => addOutboxGauges(registry, read),
    showWatching: read => addWatchGauge(registry, read),
    showDisks: disks => addDiskGauges(registry, disks),
    showJournal: read => addJournalGauge(registry, read),
  };
}

function addBackupGauge(registry: Registry, read: () => Promise<{ endedAt: number } | null>): void {
  new Gauge({
    name: 'tapedeck_last_backup_timestamp_seconds',
    help: 'When the last backup ended well, in Unix seconds; absent where there was none.',
    registers: [registry],
    async collect() {
      this.remove();
      const backup = await read().catch(() => null);
      if (backup !== null) this.set(backup.endedAt / 1000);
    },
  });
}

/** While the database is away there is nothing to show. */
function addSweepGauge(registry: Registry, read: () => Promise<BlobSweep | null>): void {
  new Gauge({
    name: 'tapedeck_blob_sweep',
    help: 'The last sweep of all blobs: 1 while it stands still because too much has no record; blobs seen, and due to be set aside.',
    labelNames: ['what'],
    registers: [registry],
    async collect() {
      this.reset();
      const sweep = await read().catch(() => null);
      if (sweep === null) return;
      this.labels('standstill').set(sweep.phase === 'stopped' ? 1 : 0);
      this.labels('seen').set(sweep.seen);
      this.labels('due').set(sweep.due);
    },
  });
}

function addStoreGauge(registry: Registry, watch: Pick<StoreWatch, 'states'>): void {
  new Gauge({
    name: 'tapedeck_store_up',
    help: 'Whether a store answers: 1, or 0 while it is away.',
    labelNames: ['store'],
    registers: [registry],
    collect() {
      for (const { name, reason } of watch.states) this.labels(name).set(reason === null ? 1 : 0);
    },
  });
}

const outboxGauges: readonly { name: string; help: string; pick: (measures: OutboxMeasures) => number }[] = [
  {
    name: 'deliveries_waiting',
    help: 'Notifications and events that are not delivered yet.',
    pick: ({ waiting }) => waiting,
  },
  {
    name: 'deliveries_oldest_seconds',
    help: 'For how long the oldest of those that are not delivered yet has been waiting.',
    pick: ({ oldestMs }) => oldestMs / 1000,
  },
  {
    name: 'deliveries_failed',
    help: 'Notifications and events that were given up or refused in the last 24 hours.',
    pick: ({ failed }) => failed,
  },
  {
    name: 'channels_off',
    help: 'Channels that are switched off, by hand or after a day without success.',
    pick: ({ channelsOff }) => channelsOff,
  },
];

/** While the database is away there is nothing to show. */
function addOutboxGauges(registry: Registry, read: () => Promise<OutboxMeasures | null>): void {
  let reading: Promise<OutboxMeasures | null> | null = null;
  const readOnce = () => {
    // All gauges of a print show the same moment.
    reading ??= read()
      .catch(() => null)
      .finally(() => {
        reading = null;
      });
    return reading;
  };
  for (const { name, help, pick } of outboxGauges) {
    new Gauge({
      ...{ name: `tapedeck_${name}`, help, registers: [registry] },
      async collect() {
        const measures = await readOnce();
        if (measures === null) this.remove();
        else this.set(pick(measures));
      },
    });
  }
}

function addWatchGauge(registry: Registry, read: () => WatchProgress | null): void {
  new Gauge({
    name: 'tapedeck_rules',
    help: 'Rules, at the node that judges them: enabled ones, those that fire, those that cannot be judged; seconds that the judging is behind, and that the last look took.',
    labelNames: ['what'],
    registers: [registry],
    collect() {
      this.reset();
      const progress = read();
      if (progress === null) return;
      this.labels('enabled').set(progress.rules);
      this.labels('firing').set(progress.firing);
      this.labels('troubled').set(progress.troubled);
      this.labels('behind_seconds').set(progress.behindMs / 1000);
      this.labels('look_seconds').set(progress.lookMs / 1000);
    },
  });
}

/** What waits for nodes that share a journal is not known while the database is away. */
function addJournalGauge(registry: Registry, read: () => Promise<Journal>): void {
  new Gauge({
    name: 'tapedeck_log_journal',
    help: 'Log entries that wait for ClickHouse: their number and bytes, the bytes at which no more are taken (of a journal on a disk), the age of the oldest in seconds, failures since the start, and how many segments were kept aside because they are damaged.',
    labelNames: ['what'],
    registers: [registry],
    async collect() {
      const { waiting, failures, damaged, bytesMax } = await read();
      this.reset();
      this.labels('failures').set(failures);
      if (damaged !== null) this.labels('damaged').set(damaged);
      if (bytesMax !== null) this.labels('bytes_max').set(bytesMax);
      if (waiting === null) return;
      const { entries, bytes, oldestAt } = waiting;
      this.labels('entries').set(entries);
      this.labels('bytes').set(bytes);
      this.labels('oldest_seconds').set(oldestAt === null ? 0 : Math.max(0, Date.now() - oldestAt) / 1000);
    },
  });
}

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
    help: 'How many more files the disk takes that holds a folder of the data directory.',
    pick: ({ freeFiles }) => freeFiles,
  },
  {
    name: 'disk_files_max',
    help: 'How many files the disk takes in all; 0 where the file system has no bound.',
    pick: ({ filesMax }) => filesMax,
  },
  {
    name: 'disk_full',
    help: 'Whether nothing can be written to the disk any more: 1, else 0.',
    pick: ({ level }) => (level === 'full' ? 1 : 0),
  },
];

function addDiskGauges(registry: Registry, disks: Pick<DiskWatch, 'states'>): void {
  for (const { name, help, pick } of diskGauges) {
    new Gauge({
      ...{ name: `tapedeck_${name}`, help, labelNames: ['store'], registers: [registry] },
      collect() {
        this.reset();
        for (const state of disks.states) this.labels(state.disk).set(pick(state));
      },
    });
  }
}
