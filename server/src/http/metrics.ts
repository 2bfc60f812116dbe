/** The metrics for Prometheus: requests by route and status, and the state of the process. */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { BlobSweep } from '../domain/files/blobSweep.ts';
import type { StoreWatch } from '../domain/storeWatch.ts';
import { RequestCounters } from './requestCounters.ts';

export type Metrics = {
  contentType: string;
  print(): Promise<string>;
  requests: RequestCounters;
  /** Shows the last sweep of all blobs, whichever node made it. */
  showBlobSweep(read: () => Promise<BlobSweep | null>): void;
  /** Shows which stores answer, as far as is known: a scrape waits for none of them. */
  showStores(watch: Pick<StoreWatch, 'states'>): void;
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
    showStores: watch => addStoreGauge(registry, watch),
  };
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
