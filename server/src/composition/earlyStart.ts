/**
 * The first step of a start: takes the data directory and starts its log engine. The engine takes as long as loading the rest of the service, so
 * this module loads little else.
 */
import { lockDirectory } from '@tapedeck/durable-files';
import { beginEngine, type StartingEngine } from '@tapedeck/log-store/engine';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { prepareDataDirectory } from '../stores/dataDirectory/dataDirectory.ts';
import { finishRestore } from '../stores/dataDirectory/dataDraft.ts';
import { describeMissingSecret } from '../stores/dataDirectory/secretFile.ts';

/** Disposing of it stops the engine, then releases the directory. */
export type EarlyStart = AsyncDisposable & { engine: StartingEngine | null };

/** `signal` cancels the start of the engine. */
export async function startEarly(
  config: Config,
  { log, signal }: { log: Logger; signal?: AbortSignal | undefined },
): Promise<EarlyStart> {
  await using opened = new AsyncDisposableStack();
  await holdDirectory(config, opened);
  const engine = opened.use(beginEngine(config.logs, { log, signal })); // starts while the rest opens
  const held = opened.move();
  return { engine, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

/**
 * Holds the data directory until everything in it is closed. Rejects if another service holds it. If nodes of one database lack their secret, rejects
 * without creating anything.
 */
async function holdDirectory(
  { dataDir, database, secret }: Config,
  opened: AsyncDisposableStack,
): Promise<void> {
  if (database.kind === 'postgres' && secret === null) throw describeMissingSecret(dataDir);
  await prepareDataDirectory(dataDir);
  await finishRestore(dataDir);
  opened.use(lockDirectory(dataDir, describeTaken(dataDir))); // first, so that it is released last
}

function describeTaken(directory: string): string {
  return `Another service uses the directory ${directory}; give each service its own TAPEDECK_DATA_DIR.`;
}
