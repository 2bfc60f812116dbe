/** Opens the log store for commands, with or without a running service. */

import type { LogServers } from '@tapedeck/domain/ports/installation';
import { type AttachedLogStore, hasLogStore, openAttachedLogStore } from '@tapedeck/log-store';
import { openMetadataStore } from '@tapedeck/metadata-store';
import pino from 'pino';
import { openSharedJournal } from '../composition/sharedJournal.ts';
import type { Config } from '../config.ts';

/** Passes null if no service has created the store yet. With `known`, refuses servers of another installation. */
export async function withLogStore<T>(
  config: Config,
  work: (store: AttachedLogStore | null) => Promise<T>,
  known?: LogServers,
): Promise<T> {
  return hasLogStore(config.logs) ? await withNewLogStore(config, work, known) : await work(null);
}

/** Creates the store if it does not exist. */
export async function withNewLogStore<T>(
  config: Config,
  work: (store: AttachedLogStore) => Promise<T>,
  known?: LogServers,
): Promise<T> {
  await using opened = new AsyncDisposableStack();
  const metadata = config.journal && opened.use(await openMetadataStore(config.database));
  const journal = metadata && openSharedJournal(config, metadata, opened);
  // A command reports problems by its error, so its output stays clean.
  const deps = { log: pino({ level: 'silent' }), dataDir: config.dataDir, known, journal };
  await using store = await openAttachedLogStore(config.logs, deps);
  // Awaited here, because the store closes when this function returns.
  return await work(store);
}
