/**
 * The installation's id, stored in the database and in every store. It stops an installation from reading or deleting another's data after a
 * restore beside the original, or with wrong settings.
 */
import { createHmac } from 'node:crypto';
import { newId } from '@tapedeck/values/random-ids';
import type { LogServers, MarkedStore, ServerAddress } from '../ports/installation.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import { ServiceError } from '../vocabulary.ts';

type Deps = { store: Pick<MetadataStore, 'read' | 'write' | 'manage'> };

const names = {
  id: 'id',
  secretProof: 'secret proof',
  logServers: 'log servers',
  logAddresses: 'log addresses',
  unmarkedLogs: 'unmarked logs',
} as const;

const provenText = 'Tapedeck: the nodes of an installation share this secret.';

/** Returns the installation's id. The first start creates it; all nodes share it. */
export function keepInstallationId({ store }: Deps): Promise<string> {
  return store.write(({ installation }) => installation.keep(names.id, newId()));
}

/** null: no service has started with this database yet. */
export function findInstallationId({
  store,
}: {
  store: Pick<MetadataStore, 'read'>;
}): Promise<string | null> {
  return store.read.installation.find(names.id);
}

/** Rejects a secret that differs from the other nodes'. The database holds only a proof of the secret, never the secret. */
export async function requireSharedSecret({ store }: Deps, secret: string): Promise<void> {
  const proof = proveSecret(secret);
  const standing = await store.write(({ installation }) => installation.keep(names.secretProof, proof));
  if (standing === proof) return;
  throw new ServiceError(
    'unavailable',
    'TAPEDECK_SECRET differs from that of the other nodes of this database: give every node the same. ' +
      'To change it on purpose, stop all nodes, run `tapedeck adopt` with the new one, and start them with it.',
  );
}

/** Returns true if the stored proof belonged to another secret. */
export async function adoptSecret({ store }: Deps, secret: string, dryRun: boolean): Promise<boolean> {
  const proof = proveSecret(secret);
  const standing = await store.read.installation.find(names.secretProof);
  if (standing !== proof && !dryRun)
    await store.write(({ installation }) => installation.put(names.secretProof, proof));
  return standing !== null && standing !== proof;
}

function proveSecret(secret: string): string {
  return createHmac('sha256', secret).update(provenText).digest('base64url');
}

/** Rejects another installation's store. Marks an unmarked store if `mayClaim` allows it. */
export async function requireOwnStore(
  marked: MarkedStore,
  installationId: string,
  mayClaim: () => Promise<boolean>,
): Promise<void> {
  const mark = await marked.readMark();
  if (mark === installationId) return;
  if (mark !== null) throw describeForeign(marked.title, { mark, installationId });
  if (!(await mayClaim())) throw new ServiceError('unavailable', explainUnknown(marked.title));
  await marked.writeMark(installationId);
}

/** For short-lived commands: checks the mark but writes none. */
export async function refuseForeignStore(marked: MarkedStore, installationId: string): Promise<void> {
  const mark = await marked.readMark();
  if (mark !== null && mark !== installationId) throw describeForeign(marked.title, { mark, installationId });
}

function describeForeign(
  title: string,
  { mark, installationId }: { mark: string; installationId: string },
): ServiceError {
  return new ServiceError('unavailable', explainForeign(title, { mark, installationId }));
}

function explainForeign(
  title: string,
  { mark, installationId }: { mark: string; installationId: string },
): string {
  return (
    `${capitalise(title)} belongs to the installation ${mark}, and the database to ${installationId}. ` +
    'Two installations that share a store would delete what is the other’s: correct the settings, or, if the other one ' +
    'is gone for good, run `tapedeck adopt`, and its data are this installation’s.'
  );
}

function explainUnknown(title: string): string {
  return (
    `${capitalise(title)} holds data that the database does not know, and no mark names its owner. Correct the settings, or, ` +
    'if it belongs to this installation, run `tapedeck adopt`.'
  );
}

function capitalise(title: string): string {
  return title.slice(0, 1).toUpperCase() + title.slice(1);
}

export function openLogServers({ store }: Deps, installationId: string): LogServers {
  const list = async () => parseNames(await store.read.installation.find(names.logServers));
  let added: ReadonlySet<string> = new Set(); // added by this process; avoids repeated transactions
  return {
    installationId,
    explainForeign: (title, mark) => explainForeign(title, { mark, installationId }),
    explainUnknown,
    list,
    add: async given => {
      if (given.every(name => added.has(name))) return;
      // `manage` runs one at a time across all nodes, so what it reads stays true.
      await store.manage(async ({ installation }) => {
        const standing = parseNames(await installation.find(names.logServers));
        if (given.every(name => standing.has(name))) return;
        await installation.put(names.logServers, JSON.stringify([...new Set([...standing, ...given])]));
      });
      added = new Set(given);
    },
    listAddresses: async () => parseAddresses(await store.read.installation.find(names.logAddresses)),
    putAddresses: given =>
      store.manage(async ({ installation }) => {
        const standing = new Map(
          parseAddresses(await installation.find(names.logAddresses)).map(address => [address.url, address]),
        );
        for (const address of given) {
          const { since } = standing.get(address.url) ?? address;
          standing.set(address.url, { ...address, since });
        }
        await installation.put(names.logAddresses, JSON.stringify([...standing.values()]));
      }),
    mayBeUnmarked: () => predatesOwnership({ store }),
    endUnmarked: () => store.write(({ installation }) => installation.remove(names.unmarkedLogs)),
  };
}

/** Whether the database is older than store marks, and its log servers have not been marked since. */
export async function predatesOwnership({ store }: { store: Pick<MetadataStore, 'read'> }): Promise<boolean> {
  return (await store.read.installation.find(names.unmarkedLogs)) !== null;
}

/** Replaces the list of log servers. */
export async function replaceLogServers({ store }: Deps, kept: readonly string[]): Promise<void> {
  await store.manage(({ installation }) => installation.put(names.logServers, JSON.stringify(kept)));
}

function parseAddresses(text: string | null): ServerAddress[] {
  // Only `putAddresses` writes it.
  return text === null ? [] : (JSON.parse(text) as ServerAddress[]);
}

function parseNames(text: string | null): ReadonlySet<string> {
  // Only `add` and `replaceLogServers` write it.
  return new Set(text === null ? [] : (JSON.parse(text) as string[]));
}
