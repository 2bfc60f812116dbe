/** Opens the metrics, including those read from the database. */
import { setTimeout as wait } from 'node:timers/promises';
import { readOutbox } from '@tapedeck/alerting';
import { readBlobSweep } from '@tapedeck/domain/files/blobSweep';
import { readBackup } from '@tapedeck/domain/operations/backups';
import type { StoreHealth } from '@tapedeck/domain/operations/storeHealth';
import type { Clock } from '@tapedeck/domain/ports/clock';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import { type Metrics, makeMetrics } from '../http/metrics.ts';
import { version } from '../version.ts';

const metricsMsMax = 2_000; // the watch takes a moment to notice a silent database

/** Answers scrapes without waiting for a database that is away. */
export function openMetrics(watch: StoreHealth, deps: { store: MetadataStore; clock: Clock }): Metrics {
  const metrics = makeMetrics(version);
  const readOrNull = async <T>(read: () => Promise<T>): Promise<T | null> =>
    watch.isUnavailable('database') ? null : Promise.race([read(), wait(metricsMsMax, null, { ref: false })]);
  metrics.showBlobSweep(() => readOrNull(() => readBlobSweep(deps)));
  metrics.showOutbox(() => readOrNull(() => readOutbox(deps)));
  metrics.showBackup(() => readOrNull(() => readBackup(deps)));
  metrics.showStores(watch);
  return metrics;
}
