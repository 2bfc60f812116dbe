/** Opens the stores everything depends on: the database, the secret and the installation's id. */

import { openDiskReserve } from '@tapedeck/blob-stores';
import { lockDirectory } from '@tapedeck/durable-files';
import type { Config } from './config.ts';
import {
  keepInstallationId,
  requireOwnStore,
  requireSharedSecret,
} from './domain/operations/installation.ts';
import { requireSettled } from './domain/operations/moving.ts';
import type { DiskReserve } from './domain/ports/blobs.ts';
import type { MetadataStore } from './domain/ports/metadata.ts';
import { type OwnNode, openOwnNode } from './jobs/heartbeat.ts';
import { openDirectoryOwner, prepareDataDirectory } from './stores/dataDirectory/dataDirectory.ts';
import { finishRestore } from './stores/dataDirectory/dataDraft.ts';
import { describeMissingSecret, keepSecret } from './stores/dataDirectory/secretFile.ts';
import { openMetadataStore } from './stores/metadata/store.ts';

export type CoreStores = {
  secret: string;
  store: MetadataStore;
  installationId: string;
  node: OwnNode | null;
  /** Room on the disk of the data directory, for when it is full. */
  reserve: DiskReserve;
};

/**
 * Holds the data directory from before anything in it is opened until everything is closed. Rejects where another service does,
 * and makes nothing where the nodes of one database lack their secret.
 */
export async function holdDirectory(
  { dataDir, database, secret }: Config,
  opened: AsyncDisposableStack,
): Promise<void> {
  if (database.kind === 'postgres' && secret === null) throw describeMissingSecret(dataDir);
  await prepareDataDirectory(dataDir);
  await finishRestore(dataDir);
  opened.use(lockDirectory(dataDir, describeTaken(dataDir))); // the first, so that it is let go last
}

/** Rejects where the nodes of one database would differ in their secret, and where the data directory, which is held, is another's. */
export async function openCoreStores(config: Config, opened: AsyncDisposableStack): Promise<CoreStores> {
  const isShared = config.database.kind === 'postgres';
  const secret = config.secret ?? (await keepSecret(config.dataDir));
  const reserve = await openDiskReserve(config.dataDir);
  const store = opened.use(await openMetadataStore(config.database, isShared ? undefined : reserve));
  await requireSettled({ store }, [
    { part: 'database', isOwn: !isShared },
    { part: 'media', isOwn: config.blobs.kind === 'disk' },
    { part: 'logs', isOwn: config.logs.kind === 'embedded' },
  ]);
  if (isShared) await requireSharedSecret({ store }, secret);
  const installationId = await keepInstallationId({ store });
  await requireOwnStore(openDirectoryOwner(config.dataDir), installationId, async () => true);
  const node = openOwnNode(config, store);
  if (node !== null) opened.use(node);
  return { secret, store, installationId, node, reserve };
}

function describeTaken(directory: string): string {
  return `Another service uses the directory ${directory}; give each service its own TAPEDECK_DATA_DIR.`;
}
