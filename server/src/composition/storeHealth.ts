/** Opens the checks of the stores, and the log that reports outages once. */

import { StoreHealth } from '@tapedeck/domain/operations/storeHealth';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import type { Logger } from 'pino';
import { logStoreChange, openOutageLog } from '../jobs/outageLog.ts';

export function openStoreHealth(log: Logger, store: MetadataStore, opened: AsyncDisposableStack) {
  const watch = opened.use(new StoreHealth(change => logStoreChange(log, change)));
  watch.add({ name: 'database', ping: () => store.ping(), pingWriting: null });
  return { watch, outageLog: openOutageLog(log, watch) };
}
