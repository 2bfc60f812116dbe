/** What all of a service rests on: the database, the secret, and which installation it is. */
import type { Config } from './config.ts';
import { keepInstallationId, requireOwnStore, requireSharedSecret } from './domain/installation.ts';
import type { MetadataStore } from './domain/ports/metadata.ts';
import { openDirectoryMark, prepareDataDirectory } from './stores/dataDirectory.ts';
import { openMetadataStore } from './stores/metadata/store.ts';
import { describeMissingSecret, keepSecret } from './stores/secretFile.ts';

export type Basis = { secret: string; store: MetadataStore; installationId: string };

/** Rejects where the nodes of one database would differ in their secret, and where the data directory is another's. */
export async function openBasis(config: Config, opened: AsyncDisposableStack): Promise<Basis> {
  await prepareDataDirectory(config.dataDir);
  const isShared = config.database.kind === 'postgres';
  if (isShared && config.secret === null) throw describeMissingSecret(config.dataDir);
  const secret = config.secret ?? (await keepSecret(config.dataDir));
  const store = opened.use(await openMetadataStore(config.database));
  if (isShared) await requireSharedSecret({ store }, secret);
  const installationId = await keepInstallationId({ store });
  await requireOwnStore(openDirectoryMark(config.dataDir), installationId, async () => true);
  return { secret, store, installationId };
}
