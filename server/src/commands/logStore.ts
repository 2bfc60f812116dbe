/** The log store as the commands use it: beside a service that runs, or by themselves. */
import pino from 'pino';
import type { Config } from '../config.ts';
import { type AttachedLogStore, hasLogStore, openAttachedLogStore } from '../stores/logs/attachedStore.ts';

/** null where no service has made one yet. */
export async function withLogStore<T>(
  config: Config,
  work: (store: AttachedLogStore | null) => Promise<T>,
): Promise<T> {
  return hasLogStore(config.logs) ? await withNewLogStore(config, work) : await work(null);
}

/** Makes it where there is none. */
export async function withNewLogStore<T>(
  config: Config,
  work: (store: AttachedLogStore) => Promise<T>,
): Promise<T> {
  // A command says by its error what is wrong; its output is for others to read.
  const deps = { log: pino({ level: 'silent' }), dataDir: config.dataDir };
  await using store = await openAttachedLogStore(config.logs, deps);
  // Awaited here: the store closes when this function ends.
  return await work(store);
}
