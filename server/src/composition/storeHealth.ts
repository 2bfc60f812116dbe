/** Opens the checks of the stores, and the log that reports outages once. */
import type { Logger } from 'pino';
import { StoreHealth } from '../domain/operations/storeHealth.ts';
import type { MetadataStore } from '../domain/ports/metadata.ts';
import { logStoreChange, openOutageLog } from '../jobs/outageLog.ts';

export function openStoreHealth(log: Logger, store: MetadataStore, opened: AsyncDisposableStack) {
  const watch = opened.use(new StoreHealth(change => logStoreChange(log, change)));
  watch.add({ name: 'database', ping: () => store.ping(), pingWriting: null });
  return { watch, outageLog: openOutageLog(log, watch) };
}
