/** Opens the log store for commands, with or without a running service. */

import { type AttachedLogStore, hasLogStore, openAttachedLogStore } from '@tapedeck/log-store';
import pino from 'pino';
import type { Config } from '../config.ts';
import type { LogServers } from '../domain/ports/installation.ts';
import { openSharedJournal } from '../sharedJournal.ts';
import { openMetadataStore } from '../stores/metadata/store.ts';

/** null where no service has made one yet. With `known`, servers of another installation are refused. */
export async function withLogStore<T>(
  config: Config,
  work: (store: AttachedLogStore | null) => Promise<T>,
  known?: LogServers,
): Promise<T> {
  return hasLogStore(config.logs) ? await withNewLogStore(config, work, known) : await work(null);
}

/** Creates it if there is none. */
export async function withNewLogStore<T>(
  config: Config,
  work: (store: AttachedLogStore) => Promise<T>,
  known?: LogServers,
): Promise<T> {
  await using opened = new AsyncDisposableStack();
  const metadata = config.journal && opened.use(await openMetadataStore(config.database));
  const journal = metadata && openSharedJournal(config, metadata, opened);
  // A command says by its error what is wrong; its output is for others to read.
  const deps = { log: pino({ level: 'silent' }), dataDir: config.dataDir, known, journal };
  await using store = await openAttachedLogStore(config.logs, deps);
  // Awaited here: the store closes when this function ends.
  return await work(store);
}
