/** Opens the stores everything depends on: the database, the secret and the installation's id. */

import path from 'node:path';
import { openDiskReserve } from '@tapedeck/blob-stores';
import {
  keepInstallationId,
  requireOwnStore,
  requireSharedSecret,
} from '@tapedeck/domain/operations/installation';
import { requireSettled } from '@tapedeck/domain/operations/installationMove';
import type { DiskReserve } from '@tapedeck/domain/ports/blobs';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import { openMetadataStore } from '@tapedeck/metadata-store';
import type { Config } from '../config.ts';
import { type OwnNode, openOwnNode } from '../jobs/heartbeat.ts';
import { openDirectoryOwner } from '../stores/dataDirectory/dataDirectory.ts';
import { keepSecret } from '../stores/dataDirectory/secretFile.ts';

export type CoreStores = {
  secret: string;
  store: MetadataStore;
  installationId: string;
  node: OwnNode | null;
  /** Space reserved on the disk of the data directory, for when it is full. */
  reserve: DiskReserve;
};

/** Rejects when nodes of one database have different secrets, or when the data directory belongs to another installation. */
export async function openCoreStores(config: Config, opened: AsyncDisposableStack): Promise<CoreStores> {
  const isShared = config.database.kind === 'postgres';
  const secret = config.secret ?? (await keepSecret(config.dataDir));
  const reserve = await openDiskReserve(config.dataDir);
  const options = {
    reserve: isShared ? undefined : reserve,
    fileIndexes: path.join(config.dataDir, 'file-indexes'),
  };
  const store = opened.use(await openMetadataStore(config.database, options));
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
