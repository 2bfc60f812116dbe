/** Metrics of background jobs: the journal, the rules and the blob sweep. */

import type { WatchProgress } from '@tapedeck/alerting';
import type { BlobSweep } from '@tapedeck/domain/files/blobSweep';
import { Counter, type Registry } from 'prom-client';
import { addDeprecatedGauge, addGauges, type NamedGauge } from './namedGauges.ts';

export type Journal = {
  /** null: unknown. */
  waiting: { entries: number; bytes: number; oldestAt: number | null } | null;
  damaged: number | null;
  /** null: unlimited. */
  bytesMax: number | null;
  failures: number;
};

const sweepGauges = {
  standstill: {
    name: 'blob_sweep_stopped',
    help: 'Whether the last sweep of all blobs stopped because too many have no record: 1, otherwise 0.',
    pick: ({ phase }) => (phase === 'stopped' ? 1 : 0),
  },
  seen: {
    name: 'blob_sweep_seen_blobs',
    help: 'How many blobs the last sweep has seen.',
    pick: ({ seen }) => seen,
  },
  due: {
    name: 'blob_sweep_due_blobs',
    help: 'How many blobs without a record the last sweep found due to be set aside.',
    pick: ({ due }) => due,
  },
} satisfies Record<string, NamedGauge<BlobSweep>>;

/** Shows nothing while the database is away. */
export function addSweepGauges(registry: Registry, read: () => Promise<BlobSweep | null>): void {
  addGauges(registry, Object.values(sweepGauges), read);
  addDeprecatedGauge(registry, { name: 'blob_sweep', gauges: sweepGauges }, read);
}

const ruleGauges = {
  enabled: {
    name: 'rules_enabled',
    help: 'Enabled rules, on the node that evaluates them.',
    pick: ({ rules }) => rules,
  },
  firing: {
    name: 'rules_firing',
    help: 'Firing rules, on the node that evaluates them.',
    pick: ({ firing }) => firing,
  },
  troubled: {
    name: 'rules_troubled',
    help: 'Rules that cannot be evaluated, on the node that evaluates rules.',
    pick: ({ troubled }) => troubled,
  },
  behind_seconds: {
    name: 'rules_behind_seconds',
    help: 'How far the evaluation of rules is behind.',
    pick: ({ behindMs }) => behindMs / 1000,
  },
  look_seconds: {
    name: 'rules_look_seconds',
    help: 'How long the last evaluation of all rules took.',
    pick: ({ lookMs }) => lookMs / 1000,
  },
} satisfies Record<string, NamedGauge<WatchProgress>>;

export function addWatchGauges(registry: Registry, read: () => WatchProgress | null): void {
  const readProgress = async () => read();
  addGauges(registry, Object.values(ruleGauges), readProgress);
  addDeprecatedGauge(registry, { name: 'rules', gauges: ruleGauges }, readProgress);
}

const journalGauges = {
  entries: {
    name: 'log_journal_entries',
    help: 'Log entries that wait for ClickHouse.',
    pick: ({ waiting }) => waiting?.entries ?? null,
  },
  bytes: {
    name: 'log_journal_bytes',
    help: 'Bytes of the log entries that wait for ClickHouse.',
    pick: ({ waiting }) => waiting?.bytes ?? null,
  },
  bytes_max: {
    name: 'log_journal_max_bytes',
    help: 'Size in bytes at which a journal on a disk refuses entries.',
    pick: ({ bytesMax }) => bytesMax,
  },
  oldest_seconds: {
    name: 'log_journal_oldest_seconds',
    help: 'For how long the oldest log entry has waited for ClickHouse.',
    pick: ({ waiting }) => (waiting === null ? null : measureAge(waiting.oldestAt)),
  },
  damaged: {
    name: 'log_journal_damaged_segments',
    help: 'Damaged segments that were moved aside.',
    pick: ({ damaged }) => damaged,
  },
} satisfies Record<string, NamedGauge<Journal>>;

/** The backlog of a shared journal is unknown while the database is away. */
export function addJournalMetrics(registry: Registry, read: () => Promise<Journal>): void {
  addGauges(registry, Object.values(journalGauges), read);
  const failures: NamedGauge<Journal> = {
    name: 'log_journal_failures_total',
    help: 'How often storing entries, or inserting stored ones, failed since the start.',
    pick: journal => journal.failures,
  };
  new Counter({
    name: `tapedeck_${failures.name}`,
    help: failures.help,
    registers: [registry],
    async collect() {
      const journal = await read().catch(() => null);
      if (journal === null) return;
      this.reset();
      this.inc(journal.failures);
    },
  });
  addDeprecatedGauge(registry, { name: 'log_journal', gauges: { ...journalGauges, failures } }, read);
}

function measureAge(at: number | null): number {
  return at === null ? 0 : Math.max(0, Date.now() - at) / 1000;
}
